// A unary call whose first attempt is the call itself.
//
// The call goes out as the stub made it, at the cost of a plain one. Between
// the core's completion of its batch and the stub stands this object: a success
// passes straight through; a failure is held, retried by calls of our own, and
// the stub then finds the last attempt's answer where it expects the first's.
//
// It is the call's interceptor, too, but batches bypass gRPC's interceptor
// machinery: only TryCancel() and the end of the ClientContext are heard so.
//
//   internal::Call call = DirectCall::Create(core, method, context, cq, ...);
//
// Not part of the library's API.
//
// Thread-safety: as gRPC asks of a call: one batch of a kind at a time;
//                TryCancel() at any time.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_DIRECT_CALL_H_
#define FORBEAR_INTERCEPTORS_CLIENT_DIRECT_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/impl/call.h>
#include <grpcpp/impl/call_hook.h>
#include <grpcpp/impl/codegen/completion_queue_tag.h>
#include <grpcpp/support/client_interceptor.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "interceptors/client/blocking_hedges.h"
#include "interceptors/client/blocking_retries.h"
#include "interceptors/client/client_core.h"
#include "interceptors/client/grpc_inside.h"
#include "interceptors/client/logical_call.h"
#include "interceptors/client/retries.h"

namespace forbear {

class DirectCall final : public grpc::experimental::Interceptor,
                         public grpc::internal::CallHook {
 public:
  // Creates the core's call on `channel`, which must have been made with
  // the factory of CallInterceptor, and with no other.
  static grpc::internal::Call Create(
      std::shared_ptr<grpc::ChannelInterface> channel,
      std::shared_ptr<ClientCore> core, InUse<Method> method,
      const grpc::internal::RpcMethod& rpc, grpc::ClientContext* context,
      grpc::CompletionQueue* cq, bool callback);

  ~DirectCall() override;

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override;

  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* ops,
                        grpc::internal::Call* call) override;

 private:
  // Where the core reports a callback stub's batch instead of to the stub.
  struct Tag : grpc_completion_queue_functor {
    DirectCall* owner;
    grpc_completion_queue_functor* stub;  // The stub's own.
    bool ok;
  };

  // The same for a stub with a completion queue. An event that is not to be
  // seen yet is swallowed, and comes back.
  class QueueTag final : public grpc::internal::CompletionQueueTag {
   public:
    explicit QueueTag(DirectCall* owner) : owner_(owner) {}
    bool FinalizeResult(void** tag, bool* ok) override;

   private:
    DirectCall* const owner_;
    bool came_back_ = false;
  };

  DirectCall(std::shared_ptr<grpc::ChannelInterface> channel,
             std::shared_ptr<ClientCore> core, InUse<Method> method,
             grpc::ClientContext* context, bool callback);

  void RunBlocking(grpc::internal::Call* bare);
  void RunHedges(const grpc::internal::Call& bare, const Step& step,
                 const grpc::Status& status, bool first_under_way);
  template <typename Blocking>
  Blocking* Share(std::unique_ptr<Blocking> running,
                  std::unique_ptr<Blocking>* shared);
  void RunQueued(grpc::internal::Call* bare);
  void RunCallback(inside::Batch* batch, Tag* tag, grpc::internal::Call* bare);
  static void Completed(grpc_completion_queue_functor* functor, int ok);
  // All batches of the call have been completed by the core.
  void AllCompleted();
  // Tells the stub.
  void Forward();
  void ReturnToQueue();

  bool Hedges() const;
  // Hedges the first attempt, which is about to start; `then` runs after all.
  void HedgeBeside(std::function<void()> then);
  AsyncRetries::Self ShareRetries(const grpc::Status& status,
                                  std::function<void()> then);

  // The first attempt has ended. True if that was the end of the call;
  // otherwise `then` runs after the retries.
  bool Settled(std::function<void()> then);
  // Asks the engine for the next step.
  Step FirstEnded(grpc::Status* status);
  Retryable MakeRetryable(const grpc::Status& status, grpc::ByteBuffer request);
  // Puts what the caller shall find in the place of the first attempt's end.
  void Deliver(const Retried& retried);

  const std::shared_ptr<grpc::ChannelInterface> channel_;
  grpc::ClientContext* const context_;
  const bool callback_;
  LogicalCall call_;
  Step first_;  // What the engine said to the start of the call.

  // Callback stubs: the request, kept because they may free it, and the
  // batches: one of the whole call, or one at its start and one at its end.
  grpc::ByteBuffer request_;
  std::atomic<int> incomplete_{0};
  Tag start_tag_;
  Tag end_tag_;
  bool has_start_ = false;

  // Stubs with a completion queue.
  QueueTag queue_tag_{this};
  grpc::CompletionQueue* queue_ = nullptr;
  bool headers_shown_ = false;  // To the application, by a batch of their own.

  grpc_call* core_call_ = nullptr;
  inside::Batch end_;    // The batch that receives the status.
  bool hedged_ = false;  // By async_, which is to be told of its end.

  std::mutex mutex_;  // Guards the following, and is held for moments.
  bool cancelled_ = false;
  std::shared_ptr<AsyncRetries> async_;  // Once there are retries.
  std::unique_ptr<BlockingRetries> blocking_;
  std::unique_ptr<BlockingHedges> hedges_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_DIRECT_CALL_H_
