#include "interceptors/server/server_guard.h"

#include <grpc/support/log.h>

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "interceptors/server/deadline_interceptor.h"
#include "interceptors/server/grpc_inside.h"
#include "interceptors/server/guarded_service.h"

namespace forbear {

// Names of methods with a handler of ours, by address, since that is how they
// come back.
struct ServerGuard::Served {
  absl::flat_hash_set<const char*> methods;
};

ServerGuard::ServerGuard(ServerOptions options)
    : options_(std::move(options)),
      options_status_(options_.Validate()),
      served_(std::make_shared<Served>()) {
  if (!options_status_.ok()) Fail(options_status_);
}

ServerGuard::~ServerGuard() = default;

void ServerGuard::Fail(absl::Status status) {
  gpr_log(GPR_ERROR, "forbear: %s", std::string(status.message()).c_str());
  status_.Update(std::move(status));
}

void ServerGuard::Register(grpc::ServerBuilder& builder, grpc::Service* service,
                           const char* name) {
  if (service == nullptr) {
    return Fail(absl::InvalidArgumentError(
        absl::StrCat("RegisterService<", name, ">: the service is null")));
  }
  std::vector<std::string> unguarded;
  for (const auto& method : inside::MethodsOf(*service)) {
    if (method == nullptr) continue;  // A generic service's.
    if (!served_->methods.insert(method->name()).second) {
      return Fail(absl::AlreadyExistsError(absl::StrCat(
          "RegisterService<", name, ">: this guard has registered one")));
    }
    if (method->handler() == nullptr) unguarded.push_back(method->name());
  }
  // As if there were no guard.
  if (options_status_.ok() && options_.mode == Mode::kOff) {
    builder.RegisterService(service);
    return;
  }
  if (!unguarded.empty()) {
    gpr_log(GPR_ERROR,
            "forbear: served from completion queues, which have no handler to "
            "guard: %s",
            absl::StrJoin(unguarded, ", ").c_str());
  }
  services_.push_back(
      std::make_unique<GuardedService>(*service, options_, options_status_));
  services_.back()->RegisterWith(builder);
}

void ServerGuard::Install(grpc::ServerBuilder& builder,
                          InterceptorFactories interceptors) {
  if (options_status_.ok() && options_.mode != Mode::kOff) {
    // First in the list, and so the last before the handler.
    interceptors.insert(interceptors.begin(),
                        std::make_unique<DeadlineInterceptorFactory>(
                            options_, [served = served_](const char* method) {
                              return served->methods.contains(method);
                            }));
  }
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
}

}  // namespace forbear
