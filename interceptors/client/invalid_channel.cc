#include "interceptors/client/invalid_channel.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>

#include <utility>

#ifndef FORBEAR_PUBLIC_API_ONLY
#include "interceptors/client/grpc_inside.h"
#endif

namespace forbear {
namespace {

#ifndef FORBEAR_PUBLIC_API_ONLY

using grpc::internal::Call;
using inside::Friend;

class ShutDown final : public grpc::ChannelInterface {
 public:
  explicit ShutDown(std::shared_ptr<grpc::ChannelInterface> lame)
      : lame_(std::move(lame)) {}

  grpc_connectivity_state GetState(bool) override {
    return GRPC_CHANNEL_SHUTDOWN;
  }

 private:
  Call CreateCall(const grpc::internal::RpcMethod& method,
                  grpc::ClientContext* context,
                  grpc::CompletionQueue* cq) override {
    return Friend::CreateCall(*lame_, method, context, cq);
  }
  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* ops,
                        Call* call) override {
    Friend::PerformOps(*lame_, ops, call);
  }
  void* RegisterMethod(const char* method) override {
    return Friend::RegisterMethod(*lame_, method);
  }
  void NotifyOnStateChangeImpl(grpc_connectivity_state last_observed,
                               gpr_timespec deadline, grpc::CompletionQueue* cq,
                               void* tag) override {
    Friend::NotifyOnStateChange(*lame_, last_observed, deadline, cq, tag);
  }
  bool WaitForStateChangeImpl(grpc_connectivity_state last_observed,
                              gpr_timespec) override {
    return last_observed != GRPC_CHANNEL_SHUTDOWN;
  }
  grpc::CompletionQueue* CallbackCQ() override {
    return Friend::CallbackCQ(*lame_);
  }

  const std::shared_ptr<grpc::ChannelInterface> lame_;
};

#endif

}  // namespace

std::shared_ptr<grpc::ChannelInterface> InvalidChannel(
    const std::string& target, const absl::Status& status) {
  const std::string message(status.message());
  std::shared_ptr<grpc::ChannelInterface> lame = grpc::CreateChannelInternal(
      target,
      grpc_lame_client_channel_create(
          target.c_str(), static_cast<grpc_status_code>(status.code()),
          message.c_str()),
      {});
#ifdef FORBEAR_PUBLIC_API_ONLY
  return lame;
#else
  return std::make_shared<ShutDown>(std::move(lame));
#endif
}

}  // namespace forbear
