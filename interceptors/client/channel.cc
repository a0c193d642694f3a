#include "interceptors/client/channel.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/impl/grpc_library.h>
#include <grpcpp/support/client_interceptor.h>

#include <utility>
#include <vector>

#include "interceptors/client/client_core.h"
#include "interceptors/client/invalid_channel.h"
#include "interceptors/client/retry_interceptor.h"
#ifndef FORBEAR_PUBLIC_API_ONLY
#include "interceptors/client/call_interceptor.h"
#include "interceptors/client/front_channel.h"
#endif

namespace forbear {
namespace {

using Factory = grpc::experimental::ClientInterceptorFactoryInterface;

// gRPC owns its factories; the user's are shared by all their channels.
class SharedFactory final : public Factory {
 public:
  explicit SharedFactory(std::shared_ptr<Factory> shared)
      : shared_(std::move(shared)) {}
  grpc::experimental::Interceptor* CreateClientInterceptor(
      grpc::experimental::ClientRpcInfo* info) override {
    return shared_->CreateClientInterceptor(info);
  }

 private:
  const std::shared_ptr<Factory> shared_;
};

}  // namespace

std::shared_ptr<grpc::ChannelInterface> CreateChannel(
    const std::string& target,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const ClientOptions& options) {
  grpc::internal::GrpcLibrary initialized;
  absl::Status valid = options.Validate();
  if (credentials == nullptr) {
    valid = absl::InvalidArgumentError(
        "CreateChannel: credentials: null; use "
        "grpc::InsecureChannelCredentials() for none");
  }
  if (!valid.ok()) return InvalidChannel(target, valid);

  std::shared_ptr<ClientCore> core = ClientCore::Make(target, options);
  std::vector<std::unique_ptr<Factory>> factories;
#ifdef FORBEAR_PUBLIC_API_ONLY
  const bool direct = false;
#else
  // Interceptors of others, this channel's or the process's, must be run by
  // gRPC on every attempt: ours is then one of them.
  const bool direct =
      options.interceptors.empty() &&
      grpc::internal::g_global_client_interceptor_factory == nullptr;
  if (direct) factories.push_back(CallInterceptor::MakeFactory());
#endif
  if (!direct) {
    factories.push_back(RetryInterceptorFactory::For(core));
    for (const auto& shared : options.interceptors) {
      factories.push_back(std::make_unique<SharedFactory>(shared));
    }
  }
  grpc::ChannelArguments arguments = options.arguments;
  if (options.take_over) arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  std::shared_ptr<grpc::Channel> channel =
      grpc::experimental::CreateCustomChannelWithInterceptors(
          target, credentials, arguments, std::move(factories));
  core->Attach(channel, arguments);
#ifdef FORBEAR_PUBLIC_API_ONLY
  return channel;
#else
  return std::make_shared<FrontChannel>(std::move(channel), std::move(core),
                                        direct);
#endif
}

}  // namespace forbear
