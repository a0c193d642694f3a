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
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_callback.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "interceptors/context/in_flight.h"

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

// A call that names a parent, so as to end when the parent is cancelled, has
// ended or has passed its deadline, while no attempt is there to do so. It
// never goes out on the wire.
//
// It holds its channel: whom it is handed back to destroys it while somebody
// else holds that, too. gRPC's callback threads must never be the last to.
class ParentWatch final
    : private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  using Done = std::function<void(std::unique_ptr<ParentWatch>)>;

  // Runs `done` once, on one of gRPC's threads, which hands the watch back.
  static ParentWatch* Start(std::shared_ptr<grpc::ChannelInterface> channel,
                            const std::string& method, const Parent& parent,
                            Done done);

  // Ends it now. From any thread, while the watch exists.
  void Stop() { context_.TryCancel(); }

 private:
  ParentWatch(const Parent& parent, Done done);
  void OnDone(const grpc::Status& status) override;

  const InFlight counted_{InFlight::kAlarm};
  Done done_;
  grpc::ClientContext context_;
};

// The same for a thread that waits: no other thread is needed.
class ParentWait {
 public:
  ParentWait(std::shared_ptr<grpc::ChannelInterface> channel,
             const std::string& method, const Parent& parent);
  ~ParentWait();
  ParentWait(const ParentWait&) = delete;
  ParentWait& operator=(const ParentWait&) = delete;

  // Waits until `wake_at`, and returns true; or until the parent ends or
  // Stop() is called, and returns false. Once.
  bool Until(absl::Time wake_at);

  // From any thread.
  void Stop() { context_.TryCancel(); }

 private:
  const InFlight counted_{InFlight::kAlarm};
  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  grpc::Status status_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  bool ended_ = false;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_PARENT_H_
