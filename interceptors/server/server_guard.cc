#include "interceptors/server/server_guard.h"

#include <grpc/support/log.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "interceptors/server/deadline_interceptor.h"
#include "interceptors/server/grpc_inside.h"
#include "interceptors/server/guarded_service.h"
#include "interceptors/server/hold_interceptor.h"

namespace forbear {

// Names of methods with a handler of ours, by address, since that is how they
// come back.
struct ServerGuard::Served {
  absl::flat_hash_set<const char*> methods;
  absl::flat_hash_map<const char*, const GuardedMethod*> held;
  bool others_intercept = false;
  bool generic = false;
};

namespace {

// Whoever asks whether a server is well must hear it when it is not.
bool IsNeverQueued(const std::string& method) {
  return absl::StartsWith(method, "/grpc.health.") ||
         absl::StartsWith(method, "/grpc.reflection.");
}

bool HasLimit(const ServerOptions& options) {
  return options.max_concurrent_calls > 0 ||
         std::any_of(options.methods.begin(), options.methods.end(),
                     [](const auto& entry) {
                       return entry.second.max_concurrent_calls > 0;
                     });
}

}  // namespace

ServerGuard::ServerGuard(ServerOptions options)
    : options_(std::move(options)),
      options_status_(options_.Validate()),
      served_(std::make_shared<Served>()) {
  if (!options_status_.ok()) {
    Fail(options_status_);
    return;
  }
  if (options_.mode != Mode::kOff && HasLimit(options_)) {
    admission_ = std::make_unique<Admission>(options_.max_concurrent_calls,
                                             options_.queue,
                                             options_.least_concurrent_calls);
    for (const auto& [method, own] : options_.methods) {
      if (own.max_concurrent_calls > 0) {
        gates_["/" + method] = admission_->AddGate(own.max_concurrent_calls);
      }
    }
  }
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
            "guard; ask ServerGuard::Enter() for each call of: %s",
            absl::StrJoin(unguarded, ", ").c_str());
  }
  services_.push_back(std::make_unique<GuardedService>(
      *service, [this](const char* method) { return SetupOf(method); }));
  services_.back()->RegisterWith(builder);
  for (const auto& [method, guarded] : services_.back()->guarded()) {
    if (guarded->holds()) served_->held.emplace(method, guarded);
  }
}

MethodSetup ServerGuard::SetupOf(const std::string& method) const {
  MethodSetup setup;
  setup.options = options_;
  setup.fault = options_status_;
  setup.others_intercept = &served_->others_intercept;
  if (admission_ == nullptr || IsNeverQueued(method)) return setup;
  const auto gate = gates_.find(method);
  if (gate != gates_.end()) setup.gate = gate->second;
  if (setup.gate != nullptr || options_.max_concurrent_calls > 0) {
    setup.admission = admission_.get();
  }
  return setup;
}

void ServerGuard::RegisterGenericService(grpc::ServerBuilder& builder,
                                         grpc::AsyncGenericService& service) {
  served_->generic = true;
  builder.RegisterAsyncGenericService(&service);
}

void ServerGuard::RegisterGenericService(
    grpc::ServerBuilder& builder, grpc::CallbackGenericService& service) {
  served_->generic = true;
  builder.RegisterCallbackGenericService(&service);
}

std::unique_ptr<GuardedCall> ServerGuard::Enter(
    grpc::ServerContextBase* context, const std::string& method,
    const GuardedCall::Refuse& refuse) {
  if (!options_status_.ok()) {
    refuse(
        {grpc::StatusCode::INTERNAL, std::string(options_status_.message())});
    return nullptr;
  }
  return GuardedCall::Enter(context, method, SetupOf(method), refuse);
}

void ServerGuard::Drain() {
  if (admission_ != nullptr) admission_->Drain();
}

size_t ServerGuard::waiting() const {
  return admission_ == nullptr ? 0 : admission_->waiting();
}

void ServerGuard::Install(grpc::ServerBuilder& builder,
                          InterceptorFactories interceptors) {
  served_->others_intercept |= !interceptors.empty();
  if (!served_->held.empty()) {
    interceptors.insert(
        interceptors.begin(),
        std::make_unique<HoldInterceptorFactory>(
            [served = served_](const char* method) -> const GuardedMethod* {
              const auto held = served->held.find(method);
              return held == served->held.end() ? nullptr : held->second;
            }));
  }
  if (options_status_.ok() && options_.mode != Mode::kOff) {
    // First in the list, and so the last before the handler.
    interceptors.insert(interceptors.begin(),
                        std::make_unique<DeadlineInterceptorFactory>(
                            options_, [served = served_](const char* method) {
                              return served->generic ||
                                     served->methods.contains(method);
                            }));
  }
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
}

}  // namespace forbear
