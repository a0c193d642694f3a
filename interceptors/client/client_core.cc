#include "interceptors/client/client_core.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>

#include "interceptors/client/shared_budgets.h"
#include "interceptors/context/clock.h"
#include "interceptors/policy_file/field_list.h"

namespace forbear {
namespace {

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
std::shared_ptr<RetryBudget> HedgeCap(const HedgingOptions& hedging,
                                      const Method* before) {
  if (!hedging.enabled()) return nullptr;
  RetryBudgetOptions options;
  options.ratio = hedging.cap;
  options.ceiling = hedging.cap > 0 ? 1 : 0;
  options.floor = 0;
  if (before == nullptr || before->hedge_cap == nullptr) {
    return std::make_shared<RetryBudget>(options, SteadyNow());
  }
  if (before->policy->hedging.cap == hedging.cap) return before->hedge_cap;
  return std::make_shared<RetryBudget>(options, *before->hedge_cap,
                                       SteadyNow());
}

// What was measured stays, where it is still asked for.
std::shared_ptr<RecentQuantile> Late(const HedgingOptions& hedging,
                                     const Method* before) {
  if (!hedging.enabled() || hedging.percentile == 0) return nullptr;
  if (before != nullptr && before->late != nullptr &&
      before->policy->hedging.percentile == hedging.percentile &&
      before->policy->hedging.least_measured == hedging.least_measured) {
    return before->late;
  }
  return std::make_shared<RecentQuantile>(hedging.percentile,
                                          hedging.least_measured);
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
  const std::shared_ptr<ClientCore> core(new ClientCore(target, options));
  if (options.policy_file != nullptr) {
    options.policy_file->Follow(
        [weak = std::weak_ptr<ClientCore>(core)](const Policy& policy) {
          const std::shared_ptr<ClientCore> core = weak.lock();
          if (core != nullptr) core->Adopt(policy.client);
          return core != nullptr;
        });
  }
  return core;
}

ClientCore::ClientCore(const std::string& target, const ClientOptions& options)
    : target_(target),
      observer_(options.observer),
      own_process_budget_(options.process_budget),
      policy_file_(options.policy_file),
      policy_(options.policy.methods),
      target_budget_(
          BucketOfTarget(target, options.policy.BudgetOf(target), Say::kFirst)),
      process_budget_(
          own_process_budget_ != nullptr
              ? own_process_budget_
              : BucketOfProcess(options.policy.process_budget, Say::kFirst)) {
  names_.Replace([](Names&) {});
}

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
         core_retries_->ActOn(method.name, method.core_retries, now);
}

bool ClientCore::LeftToChannelNow(const Method& method) const {
  return core_retries_ != nullptr &&
         core_retries_->LookAndActOn(method.name, method.core_retries);
}

bool ClientCore::AttemptsAreOurs(const Method& method) const {
  return attached_ && !method.core_retries->ever();
}

bool ClientCore::Connecting() const {
  const std::shared_ptr<grpc::Channel> channel = channel_.lock();
  return channel != nullptr &&
         channel->GetState(/*try_to_connect=*/false) != GRPC_CHANNEL_READY;
}

const NamedMethod* ClientCore::Find(absl::string_view name) {
  {
    const InUse<Names> known = names_.Take();
    const auto found = known->by_name.find(name);
    if (found != known->by_name.end()) return found->second;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<NamedMethod>& method = methods_[name];
  if (method == nullptr) {
    method = std::make_unique<NamedMethod>();
    method->name = std::string(name);
    Fill(*method);
  }
  // Not at each name: who is called under thousands would copy them all then.
  if (4 * ++missed_ > methods_.size()) {
    missed_ = 0;
    names_.Replace([this](Names& next) {
      next.by_name.clear();
      for (const auto& known : methods_) {
        next.by_name[known.first] = known.second.get();
      }
    });
  }
  return method.get();
}

void ClientCore::Adopt(const ClientPolicy& policy) {
  std::lock_guard<std::mutex> lock(mutex_);
  policy_ = policy.methods;
  target_budget_ =
      BucketOfTarget(target_, policy.BudgetOf(target_), Say::kLast);
  if (own_process_budget_ == nullptr) {
    process_budget_ = BucketOfProcess(policy.process_budget, Say::kLast);
  }
  for (const auto& known : methods_) {
    const Method& before = *known.second->versions.latest();
    if (before.target_budget != target_budget_ ||
        before.process_budget != process_budget_ ||
        !SameMeaning(*before.policy, policy_.For(known.first))) {
      Fill(*known.second);
    }
  }
}

// Under the lock.
void ClientCore::Fill(NamedMethod& named) const {
  const Method* const before = named.versions.latest();
  const MethodOptions::IdempotencyLevel declared = DeclaredFor(named.name);
  named.versions.Replace([&](Method& method) {
    method.name = named.name;
    method.policy_of_now = policy_.For(named.name);
    method.target_budget = target_budget_;
    method.process_budget = process_budget_;
    method.reads = declared == MethodOptions::NO_SIDE_EFFECTS;
    method.declared = method.reads || declared == MethodOptions::IDEMPOTENT
                          ? Repeatable::kYes
                          : Repeatable::kUnknown;
    method.hedge_cap = HedgeCap(method.policy->hedging, before);
    method.late = Late(method.policy->hedging, before);
    method.told_not_repeatable = false;
    method.told_left_to_channel = false;
    method.core_retries = &named.core_retries;
  });
}

}  // namespace forbear
