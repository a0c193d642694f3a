#include "interceptors/client/retry_interceptor.h"

#include <utility>

#include "interceptors/client/hijacked_call.h"
#include "interceptors/client/hijacked_stream.h"
#include "interceptors/client/stub_style.h"

namespace forbear {

absl::StatusOr<std::unique_ptr<RetryInterceptorFactory>>
RetryInterceptorFactory::Make(const std::string& target,
                              const ClientOptions& options) {
  absl::Status valid = options.Validate();
  if (!valid.ok()) return valid;
  return For(ClientCore::Make(target, options));
}

std::unique_ptr<RetryInterceptorFactory> RetryInterceptorFactory::For(
    std::shared_ptr<ClientCore> core) {
  return std::unique_ptr<RetryInterceptorFactory>(
      new RetryInterceptorFactory(std::move(core)));
}

RetryInterceptorFactory::RetryInterceptorFactory(
    std::shared_ptr<ClientCore> core)
    : core_(std::move(core)) {}

grpc::experimental::Interceptor*
RetryInterceptorFactory::CreateClientInterceptor(
    grpc::experimental::ClientRpcInfo* info) {
  using Type = grpc::experimental::ClientRpcInfo::Type;
  InUse<Method> method = core_->Find(info->method())->Take();
  if (method->policy->mode == Mode::kOff) return nullptr;
  const bool generic = StubStyle::InCreation().generic;
  if (info->type() != Type::UNARY) {
    return HijackedStream::Make(core_, std::move(method),
                                info->client_context(), info->type(), generic);
  }
  return new HijackedCall(core_, std::move(method), info->client_context(),
                          generic);
}

}  // namespace forbear
