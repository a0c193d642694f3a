#include "interceptors/client/logical_call.h"

#include <grpc/support/log.h>

#include <string>
#include <utility>

#include "interceptors/client/chance.h"
#include "interceptors/client/never_sent.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/metadata_keys.h"

namespace forbear {
namespace {

// Facts for the engine. A key is given to a call whose server honours keys.
CallFacts FactsOf(const Method& method, CallScope* scope,
                  std::multimap<std::string, std::string>* metadata) {
  CallFacts facts;
  facts.declared = method.declared;
  if (!method.policy->server_honours_keys) return facts;
  facts.has_key = true;
  const std::string name(kIdempotencyKey);
  if (metadata->count(name) != 0) return facts;
  std::string key;
  if (scope != nullptr) key = scope->DeriveKey(method.name, /*tag=*/"");
  metadata->emplace(name, key.empty() ? RandomKey() : key);
  return facts;
}

}  // namespace

LogicalCall::LogicalCall(std::shared_ptr<ClientCore> core, const Method* method,
                         Parent parent,
                         std::multimap<std::string, std::string>* metadata)
    : core_(std::move(core)),
      method_(method),
      parent_(std::move(parent)),
      scope_(CallScope::Here() == nullptr ? nullptr : CallScope::Current()),
      budgets_(core_->budgets()),
      engine_(*method->policy, budgets_,
              FactsOf(*method, scope_.get(), metadata)) {}

// Otherwise nothing is done before the first failure, which costs nothing.
bool LogicalCall::PlansAttempts() const {
  const MethodPolicy& policy = *method_->policy;
  return policy.attempt_timeout != absl::InfiniteDuration() ||
         policy.hedging.enabled();
}

Step LogicalCall::Start(absl::Time now, absl::Time deadline) {
  if (PlansAttempts()) {
    if (core_->LeftToChannel(*method_, now)) StepAside();
    engine_.SetConnecting(core_->Connecting());
  }
  return engine_.Start(
      now, deadline,
      scope_ == nullptr ? absl::InfiniteFuture() : scope_->deadline());
}

void LogicalCall::AttemptStarted(const Step& step) {
  attempt_time_ = step.time;
  attempt_started_ = step.attempt == 1 ? engine_.started() : SteadyNow();
  Observer* const observer = this->observer();
  if (observer == nullptr) return;
  if (!announced_) {
    announced_ = true;
    observer->CallStarted({method_->name, core_->target()});
  }
  observer->AttemptStarted(
      {method_->name, core_->target(), step.attempt, step.time});
}

Step LogicalCall::AttemptEnded(
    absl::Time now, const grpc::Status& status,
    const std::multimap<grpc::string_ref, grpc::string_ref>& trailers,
    absl::string_view debug_string, bool cancelled) {
  const absl::Duration latency = now - attempt_started_;
  AttemptEnd end = DescribeEnd(status, trailers, latency, attempt_time_);
  if (!status.ok()) {
    if (core_->LeftToChannelNow(*method_)) StepAside();
    end.not_applied |=
        NeverSent(end.code, debug_string) && core_->AttemptsAreOurs(*method_);
  }
  Chance chance;
  const Step step = cancelled && !status.ok()
                        ? engine_.Cancelled()
                        : engine_.AttemptEnded(now, end, chance);
  Observer* const observer = this->observer();
  if (observer == nullptr) return step;
  observer->AttemptEnded(
      {method_->name, core_->target(), engine_.attempts(), end.code, latency});
  if (!step.finished) {
    observer->WaitScheduled({method_->name, core_->target(),
                             engine_.attempts() + 1, step.wake_at - now,
                             budgets_.Balance(now)});
  } else if (!status.ok()) {
    observer->RetryRefused({method_->name, core_->target(), engine_.attempts(),
                            end.code, step.verdict, budgets_.Balance(now)});
  }
  return step;
}

grpc::Status LogicalCall::Finish(const Step& last, const grpc::Status& status) {
  const absl::Duration elapsed = status.ok() && observer() == nullptr
                                     ? absl::ZeroDuration()
                                     : SteadyNow() - engine_.started();
  if (Observer* const observer = this->observer(); observer != nullptr) {
    if (!announced_) observer->CallStarted({method_->name, core_->target()});
    observer->CallEnded({method_->name, core_->target(), engine_.attempts(),
                         static_cast<absl::StatusCode>(status.error_code()),
                         last.verdict, elapsed});
  }
  // Who only observes changes nothing, above or below.
  if (status.ok() || method_->policy->mode != Mode::kEnforce) return status;
  if (GaveUp(last.verdict) && scope_ != nullptr) {
    scope_->NoteGaveUp(static_cast<absl::StatusCode>(status.error_code()));
  }
  if (last.verdict == Verdict::kNotRepeatable) HintOnce();
  return grpc::Status(status.error_code(),
                      WithSuffix(status.error_message(), last.verdict,
                                 engine_.attempts(), elapsed),
                      status.error_details());
}

Step LogicalCall::TimerFired(absl::Time now) {
  if (PlansAttempts()) engine_.SetConnecting(core_->Connecting());
  return engine_.TimerFired(now);
}

void LogicalCall::StepAside() {
  engine_.StepAside();
  if (method_->told_left_to_channel.exchange(true, std::memory_order_relaxed)) {
    return;
  }
  gpr_log(GPR_ERROR,
          "forbear: the channel's service config has a retryPolicy for %s, so "
          "gRPC retries it and forbear does not. To have it the other way "
          "round, set ClientOptions::take_over.",
          method_->name.c_str());
}

void LogicalCall::HintOnce() const {
  if (method_->told_not_repeatable.exchange(true, std::memory_order_relaxed)) {
    return;
  }
  gpr_log(GPR_ERROR,
          "forbear: %s failed and was not retried, because nothing says that "
          "it may be repeated. If it may, add to the rpc in its .proto: "
          "option idempotency_level = IDEMPOTENT;",
          method_->name.c_str());
}

}  // namespace forbear
