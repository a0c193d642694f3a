#include "interceptors/client/logical_call.h"

#include <grpc/support/log.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <string>
#include <utility>

#include "interceptors/client/never_sent.h"
#include "interceptors/context/chance.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/metadata_keys.h"

namespace forbear {
LogicalCall::LogicalCall(std::shared_ptr<ClientCore> core, InUse<Method> method,
                         Parent parent,
                         std::multimap<std::string, std::string>* metadata,
                         std::unique_ptr<const CallOptions> options)
    : core_(std::move(core)),
      method_(std::move(method)),
      own_(OwnOf(*method_, std::move(options))),
      parent_(std::move(parent)),
      scope_(CallScope::Here() == nullptr ? nullptr : CallScope::Current()),
      budgets_(method_->budgets()),
      engine_(policy(), budgets_, Facts(metadata)) {}

std::unique_ptr<const LogicalCall::Own> LogicalCall::OwnOf(
    const Method& method, std::unique_ptr<const CallOptions> options) {
  if (options == nullptr) return nullptr;
  auto own = std::make_unique<Own>();
  own->policy = options->Change(*method.policy);
  own->options = std::move(options);
  return own;
}

// Facts for the engine. A key is given to a call whose server honours keys.
CallFacts LogicalCall::Facts(
    std::multimap<std::string, std::string>* metadata) const {
  CallFacts facts;
  facts.declared = method_->declared;
  facts.reads = method_->reads;
  if (method_->late != nullptr)
    facts.measured = method_->late->Get(SteadyNow());
  if (own_ != nullptr) own_->options->SetKey(metadata);
  if (!policy().server_honours_keys) return facts;
  facts.has_key = true;
  if (policy().mode != Mode::kEnforce) return facts;  // Others only count.
  const std::string name(kIdempotencyKey);
  if (metadata->count(name) != 0) return facts;
  std::string key;
  if (scope_ != nullptr) {
    key = scope_->DeriveKey(method_->name,
                            own_ == nullptr ? "" : own_->options->tag);
  }
  metadata->emplace(name, key.empty() ? RandomKey() : key);
  return facts;
}

// Otherwise nothing is done before the first failure, which costs nothing.
bool LogicalCall::PlansAttempts() const {
  return policy().attempt_timeout != absl::InfiniteDuration() ||
         policy().hedging.enabled();
}

Step LogicalCall::Start(absl::Time now, absl::Time deadline) {
  if (own_ != nullptr && !own_->options->Validate().ok()) {
    Step step;
    step.finished = true;
    step.verdict = Verdict::kPermanent;
    return step;
  }
  if (PlansAttempts()) {
    if (core_->LeftToChannel(*method_, now)) StepAside();
    engine_.SetConnecting(core_->Connecting());
  }
  return engine_.Start(
      now, deadline,
      scope_ == nullptr ? absl::InfiniteFuture() : scope_->deadline());
}

grpc::Status LogicalCall::UnsentStatus() const {
  const absl::Status valid =
      own_ == nullptr ? absl::OkStatus() : own_->options->Validate();
  if (!valid.ok()) {
    return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                        std::string(valid.message()));
  }
  return grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED,
                      "The deadline had passed before the call was sent");
}

void LogicalCall::AttemptStarted(const Step& step) {
  under_way_.push_back({step.attempt, step.time,
                        step.attempt == 1 ? engine_.started() : SteadyNow()});
  Observer* const observer = this->observer();
  if (observer == nullptr) return;
  if (!announced_) {
    announced_ = true;
    observer->CallStarted({method_->name, core_->target()});
  }
  observer->AttemptStarted(
      {method_->name, core_->target(), step.attempt, step.time, step.hedge});
}

LogicalCall::UnderWay LogicalCall::Take(int attempt) {
  assert(!under_way_.empty());
  auto found = std::find_if(
      under_way_.begin(), under_way_.end(),
      [attempt](const UnderWay& each) { return each.attempt == attempt; });
  if (found == under_way_.end()) found = std::prev(found);  // The only one.
  const UnderWay taken = *found;
  under_way_.erase(found);
  return taken;
}

Step LogicalCall::AttemptEnded(
    absl::Time now, const grpc::Status& status,
    const std::multimap<grpc::string_ref, grpc::string_ref>& trailers,
    absl::string_view debug_string, bool cancelled, int attempt) {
  const UnderWay ended = Take(attempt);
  const absl::Duration latency = now - ended.started;
  AttemptEnd end = DescribeEnd(status, trailers, latency, ended.time);
  end.attempt = ended.attempt;
  if (!status.ok()) {
    if (core_->LeftToChannelNow(*method_)) StepAside();
    end.not_applied |=
        NeverSent(end.code, debug_string) && core_->AttemptsAreOurs(*method_);
    if (PlansAttempts()) engine_.SetConnecting(core_->Connecting());
    failed_ = true;
  } else {
    Measure(now);
  }
  Chance chance;
  const Step step = cancelled && !status.ok()
                        ? engine_.Cancelled()
                        : engine_.AttemptEnded(now, end, chance);
  Observer* const observer = this->observer();
  if (observer == nullptr) return step;
  observer->AttemptEnded(
      {method_->name, core_->target(), ended.attempt, end.code, latency});
  if (!step.finished) {
    if (step.start || engine_.under_way() > 0) return step;
    observer->WaitScheduled({method_->name, core_->target(),
                             engine_.attempts() + 1, step.wake_at - now,
                             budgets_.Balance(now)});
  } else if (!status.ok()) {
    observer->RetryRefused({method_->name, core_->target(), engine_.attempts(),
                            end.code, step.verdict, budgets_.Balance(now)});
  }
  return step;
}

void LogicalCall::AttemptLost(absl::Time now, const grpc::Status& status,
                              int attempt) {
  const UnderWay lost = Take(attempt);
  if (observer() == nullptr) return;
  observer()->AttemptEnded({method_->name, core_->target(), lost.attempt,
                            static_cast<absl::StatusCode>(status.error_code()),
                            now - lost.started});
}

void LogicalCall::SucceededAtFirst() {
  budgets_.AttemptSucceeded();
  if (method_->late != nullptr) Measure(SteadyNow());
}

// A call that was hedged took longer than the quantile at which it was, so the
// quantile stays what it was. One that had to be retried says nothing.
void LogicalCall::Measure(absl::Time now) {
  if (method_->late == nullptr || failed_) return;
  method_->late->Record(now - engine_.started(), now);
}

void LogicalCall::AnswerBegun(absl::Time now) {
  Measure(now);
  failed_ = true;  // How long the stream then goes on says nothing.
  engine_.Commit();
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
  if (status.ok() || policy().mode != Mode::kEnforce) return status;
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
