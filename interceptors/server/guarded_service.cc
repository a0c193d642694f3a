#include "interceptors/server/guarded_service.h"

#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>

#include <memory>
#include <string>
#include <vector>

#include "interceptors/server/grpc_inside.h"
#include "interceptors/server/guarded_method.h"

namespace forbear {
namespace {

using grpc::internal::RpcServiceMethod;

// Runs when the server has registered its services and has not started.
class HandOver final : public grpc::ServerBuilderPlugin {
 public:
  HandOver(const grpc::Service& registered, grpc::Service& service)
      : registered_(registered), service_(service) {}

  std::string name() override { return "forbear"; }
  void InitServer(grpc::ServerInitializer*) override {
    inside::CopyRegistration(registered_, service_);
  }
  void Finish(grpc::ServerInitializer*) override {}
  void ChangeArguments(const std::string&, void*) override {}

 private:
  const grpc::Service& registered_;
  grpc::Service& service_;
};

class HandOverOption final : public grpc::ServerBuilderOption {
 public:
  HandOverOption(const grpc::Service& registered, grpc::Service& service)
      : registered_(registered), service_(service) {}

  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>*
                         plugins) override {
    plugins->push_back(std::make_unique<HandOver>(registered_, service_));
  }

 private:
  const grpc::Service& registered_;
  grpc::Service& service_;
};

}  // namespace

GuardedService::GuardedService(grpc::Service& service, const SetupOf& setup_of)
    : service_(service) {
  for (const auto& method : inside::MethodsOf(service)) {
    if (method == nullptr) {  // A generic service's. The numbers must agree.
      AddMethod(nullptr);
      continue;
    }
    GuardedMethod* handler = nullptr;
    if (method->handler() != nullptr) {
      handler = new GuardedMethod(*method, setup_of(method->name()));
      guarded_.emplace(method->name(), handler);
    }
    auto* guarded =
        new RpcServiceMethod(method->name(), method->method_type(), handler);
    guarded->SetServerApiType(method->api_type());
    AddMethod(guarded);
  }
}

void GuardedService::RegisterWith(grpc::ServerBuilder& builder) {
  builder.RegisterService(this);
  if (has_async_methods()) {
    builder.SetOption(std::make_unique<HandOverOption>(*this, service_));
  }
}

}  // namespace forbear
