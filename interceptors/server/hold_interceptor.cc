#include "interceptors/server/hold_interceptor.h"

#include <grpcpp/support/interceptor.h>

namespace forbear {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;
using grpc::experimental::ServerRpcInfo;

class HoldInterceptor final : public grpc::experimental::Interceptor {
 public:
  HoldInterceptor(const GuardedMethod& method, ServerRpcInfo* info)
      : method_(method), info_(info) {}

  void Intercept(InterceptorBatchMethods* batch) override {
    const bool arrives = batch->QueryInterceptionHookPoint(
        InterceptionHookPoints::POST_RECV_INITIAL_METADATA);
    // A request that could not be read, or was not, has its answer already.
    const bool unread = batch->QueryInterceptionHookPoint(
                            InterceptionHookPoints::POST_RECV_MESSAGE) &&
                        batch->GetRecvMessage() == nullptr;
    if (!arrives || unread) return batch->Proceed();
    const void* const request = batch->GetRecvMessage();
    method_.Hold(info_->server_context(), request,
                 [batch] { batch->Proceed(); });
  }

 private:
  const GuardedMethod& method_;
  ServerRpcInfo* const info_;
};

}  // namespace

grpc::experimental::Interceptor*
HoldInterceptorFactory::CreateServerInterceptor(ServerRpcInfo* info) {
  const GuardedMethod* const method = find_(info->method());
  return method == nullptr ? nullptr : new HoldInterceptor(*method, info);
}

}  // namespace forbear
