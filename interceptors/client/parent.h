// The server call that a client call is made for, kept safe to name.
//
// gRPC hands a server call's deadline and cancellation to calls that name it as
// their parent when they are created. A retry is created later, when a handler
// may have returned; the reference here keeps the parent's memory until then,
// and gRPC cancels at once a child of a parent that has ended.
//
//   Parent parent = Parent::Of(context);        // FromServerContext() or scope
//   parent.Adopt(&attempt_context);
//
// Not part of the library's API.
//
// Thread-safety: a value; copies may be used concurrently.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_PARENT_H_
#define FORBEAR_INTERCEPTORS_CLIENT_PARENT_H_

#include <grpc/grpc.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <functional>
#include <memory>
#include <string>

namespace forbear {

class Parent {
 public:
  // No parent.
  Parent() = default;
  Parent(const Parent& other);
  Parent& operator=(const Parent&) = delete;
  ~Parent();

  // The parent that `context` names; else, and then `context` names it too,
  // the inbound call of the scope that this thread is in. A context in a scope
  // that has ended is cancelled.
  static Parent Of(grpc::ClientContext& context);

  explicit operator bool() const { return call_ != nullptr; }

  // Makes `context` name this parent. Before its call is created.
  void Adopt(grpc::ClientContext* context) const;

 private:
  grpc_call* call_ = nullptr;
  grpc::PropagationOptions propagation_;
};

// Tells when a parent ends while no attempt is there to be cancelled with it:
// a call that names the parent, and never goes out on the wire.
class ParentWatch {
 public:
  // Runs `gone` at most once, on one of gRPC's threads, when the parent is
  // cancelled, has ended or has passed its deadline.
  ParentWatch(std::shared_ptr<grpc::ChannelInterface> channel,
              const std::string& method, const Parent& parent,
              std::function<void()> gone);
  // `gone` may still be running, but does not start any more.
  ~ParentWatch();
  ParentWatch(const ParentWatch&) = delete;
  ParentWatch& operator=(const ParentWatch&) = delete;

 private:
  class Call;
  const std::shared_ptr<Call> call_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_PARENT_H_
