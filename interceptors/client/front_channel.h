// The channel that stubs are made with: a thin front before gRPC's own.
//
// It knows what an interceptor cannot: how the stub calls, what the method's
// policy is (looked up once per stub), and the deadline before a call is made.
// Unary calls become DirectCalls; every call made inside a handler inherits
// its deadline and cancellation.
//
// Not part of the library's API; CreateChannel() makes it.
//
// Thread-safety: as a grpc::Channel: safe for concurrent use.
// Units:         none.
// Errors:        none of its own.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_FRONT_CHANNEL_H_
#define FORBEAR_INTERCEPTORS_CLIENT_FRONT_CHANNEL_H_

#include <grpcpp/channel.h>
#include <grpcpp/impl/channel_interface.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "interceptors/client/client_core.h"

namespace forbear {

class FrontChannel final : public grpc::ChannelInterface {
 public:
  // `direct`: `channel` was made with DirectCall's factory alone. Otherwise
  // its interceptors do the retrying, and the front only inherits deadlines.
  FrontChannel(std::shared_ptr<grpc::Channel> channel,
               std::shared_ptr<ClientCore> core, bool direct);
  ~FrontChannel() override;

  grpc_connectivity_state GetState(bool try_to_connect) override;

 private:
  struct Registered;  // What RegisterMethod() gave a stub.

  grpc::internal::Call CreateCall(const grpc::internal::RpcMethod& method,
                                  grpc::ClientContext* context,
                                  grpc::CompletionQueue* cq) override;
  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* ops,
                        grpc::internal::Call* call) override;
  void* RegisterMethod(const char* method) override;
  void NotifyOnStateChangeImpl(grpc_connectivity_state last_observed,
                               gpr_timespec deadline, grpc::CompletionQueue* cq,
                               void* tag) override;
  bool WaitForStateChangeImpl(grpc_connectivity_state last_observed,
                              gpr_timespec deadline) override;
  grpc::CompletionQueue* CallbackCQ() override;

  // Any call but a retried one: it only inherits.
  grpc::internal::Call CreatePlain(const Method& method,
                                   const grpc::internal::RpcMethod& rpc,
                                   grpc::ClientContext* context,
                                   grpc::CompletionQueue* cq);

  const std::shared_ptr<grpc::Channel> channel_;
  const std::shared_ptr<ClientCore> core_;
  const bool direct_;
  // What the last callback stub was given. It is not asked for on behalf of
  // others: asking starts gRPC's callback threads.
  std::atomic<grpc::CompletionQueue*> callback_cq_{nullptr};
  std::mutex mutex_;
  std::deque<Registered> registered_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_FRONT_CHANNEL_H_
