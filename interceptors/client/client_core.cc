#include "interceptors/client/client_core.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>

#include "interceptors/context/clock.h"

namespace forbear {
namespace {

// Channels to the same target share its bucket while any of them lives.
std::shared_ptr<RetryBudget> TargetBudget(const std::string& target,
                                          const RetryBudgetOptions& options) {
  struct Registry {
    std::mutex mutex;
    absl::flat_hash_map<std::string, std::weak_ptr<RetryBudget>> budgets;
  };
  static Registry* const registry = new Registry;  // Outlives every channel.
  std::lock_guard<std::mutex> lock(registry->mutex);
  std::weak_ptr<RetryBudget>& known = registry->budgets[target];
  std::shared_ptr<RetryBudget> budget = known.lock();
  if (budget == nullptr) {
    budget = std::make_shared<RetryBudget>(options, SteadyNow());
    known = budget;
  }
  return budget;
}

std::shared_ptr<RetryBudget> ProcessBudget(
    const std::shared_ptr<RetryBudget>& chosen) {
  static const auto* const of_the_process = new std::shared_ptr<RetryBudget>(
      std::make_shared<RetryBudget>(RetryBudgetOptions{}, SteadyNow()));
  return chosen != nullptr ? chosen : *of_the_process;
}

using google::protobuf::MethodOptions;

// What the method's .proto says, where its descriptor is linked in.
MethodOptions::IdempotencyLevel DeclaredFor(absl::string_view name) {
  std::string full_name(name.substr(name.empty() ? 0 : 1));
  std::replace(full_name.begin(), full_name.end(), '/', '.');
  const google::protobuf::MethodDescriptor* method =
      google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(
          full_name);
  return method == nullptr ? MethodOptions::IDEMPOTENCY_UNKNOWN
                           : method->options().idempotency_level();
}

// Holds what was earned in the last second; one at least, so that a client of
// few calls hedges at all.
std::unique_ptr<RetryBudget> HedgeCap(const HedgingOptions& hedging) {
  RetryBudgetOptions options;
  options.ratio = hedging.cap;
  options.ceiling = hedging.cap > 0 ? 1 : 0;
  options.floor = 0;
  return std::make_unique<RetryBudget>(options, SteadyNow());
}

const grpc_arg* Argument(const grpc_channel_args& arguments,
                         absl::string_view key) {
  for (size_t i = 0; i < arguments.num_args; ++i) {
    if (arguments.args[i].key == key) return &arguments.args[i];
  }
  return nullptr;
}

// Unless they were turned off.
bool HasCoreRetries(const grpc::ChannelArguments& arguments) {
  const grpc_channel_args args = arguments.c_channel_args();
  const grpc_arg* const enabled = Argument(args, GRPC_ARG_ENABLE_RETRIES);
  return enabled == nullptr || enabled->type != GRPC_ARG_INTEGER ||
         enabled->value.integer != 0;
}

// What holds where the resolver brings no config.
std::string ConfigOf(const grpc::ChannelArguments& arguments) {
  const grpc_channel_args args = arguments.c_channel_args();
  const grpc_arg* const config = Argument(args, GRPC_ARG_SERVICE_CONFIG);
  return config == nullptr || config->type != GRPC_ARG_STRING
             ? ""
             : config->value.string;
}

}  // namespace

std::shared_ptr<ClientCore> ClientCore::Make(const std::string& target,
                                             const ClientOptions& options) {
  return std::shared_ptr<ClientCore>(new ClientCore(target, options));
}

ClientCore::ClientCore(const std::string& target, const ClientOptions& options)
    : target_(target),
      policy_(options.policy),
      target_budget_(TargetBudget(target, options.target_budget)),
      process_budget_(ProcessBudget(options.process_budget)),
      observer_(options.observer) {}

void ClientCore::Attach(const std::shared_ptr<grpc::Channel>& channel,
                        const grpc::ChannelArguments& arguments) {
  channel_ = channel;
  attached_ = true;
  if (!HasCoreRetries(arguments)) return;
  core_retries_ = std::make_unique<CoreRetries>(
      [weak = channel_, until_resolved = ConfigOf(arguments)] {
        const std::shared_ptr<grpc::Channel> channel = weak.lock();
        const std::string config =
            channel == nullptr ? "" : channel->GetServiceConfigJSON();
        return config.empty() ? until_resolved : config;
      });
}

bool ClientCore::LeftToChannel(const Method& method, absl::Time now) const {
  return core_retries_ != nullptr &&
         core_retries_->ActOn(method.name, &method.core_retries, now);
}

bool ClientCore::LeftToChannelNow(const Method& method) const {
  return core_retries_ != nullptr &&
         core_retries_->LookAndActOn(method.name, &method.core_retries);
}

bool ClientCore::AttemptsAreOurs(const Method& method) const {
  return attached_ && !method.core_retries.ever();
}

bool ClientCore::Connecting() const {
  const std::shared_ptr<grpc::Channel> channel = channel_.lock();
  return channel != nullptr &&
         channel->GetState(/*try_to_connect=*/false) != GRPC_CHANNEL_READY;
}

const Method* ClientCore::Find(absl::string_view name) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<Method>& method = methods_[name];
  if (method == nullptr) {
    method = std::make_unique<Method>();
    method->name = std::string(name);
    method->policy = &policy_.For(name);
    const MethodOptions::IdempotencyLevel declared = DeclaredFor(name);
    method->reads = declared == MethodOptions::NO_SIDE_EFFECTS;
    if (method->reads || declared == MethodOptions::IDEMPOTENT) {
      method->declared = Repeatable::kYes;
    }
    const HedgingOptions& hedging = method->policy->hedging;
    if (hedging.enabled()) method->hedge_cap = HedgeCap(hedging);
    if (hedging.enabled() && hedging.percentile > 0) {
      method->late = std::make_unique<RecentQuantile>(hedging.percentile,
                                                      hedging.least_measured);
    }
  }
  return method.get();
}

}  // namespace forbear
