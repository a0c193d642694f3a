#include "interceptors/policy/retry_call.h"

#include <algorithm>
#include <cassert>

#include "interceptors/policy/wire_timeout.h"

namespace forbear {

RetryCall::RetryCall(const MethodPolicy& policy, RetryBudgets budgets,
                     CallFacts facts)
    : policy_(policy),
      budgets_(budgets),
      facts_(facts),
      backoff_(policy.backoff) {}

Step RetryCall::Start(absl::Time now, absl::Time deadline,
                      absl::Time inbound_deadline) {
  assert(state_ == State::kNew);
  started_ = now;
  deadline_ = deadline;
  if (Enforced()) {
    // Infinite values saturate, so that no deadline needs no case of its own.
    deadline_ = std::min({deadline, inbound_deadline - policy_.reserve,
                          now + policy_.call_timeout});
  }
  const Step step = StartAttempt(now);
  if (step.start) budgets_.CallStarted(now);
  return step;
}

Step RetryCall::AttemptEnded(absl::Time now, const AttemptEnd& end,
                             absl::BitGenRef chance) {
  assert(state_ == State::kAttempting);
  // Behind an attempt of gRPC's that was not applied may be one that was.
  not_applied_ = not_applied_ && end.not_applied && !steps_aside_;
  if (end.code == absl::StatusCode::kOk) {
    budgets_.AttemptSucceeded();
    return Finish(Verdict::kSucceeded);
  }
  if (end.timed_out && bounded_by_call_) return Finish(Verdict::kDeadline);

  const bool refused = end.pushback.kind == Pushback::Kind::kRefused;
  const bool may_pass = MayPass(end);
  if (may_pass || refused) budgets_.AttemptFailed();
  if (!may_pass) return Finish(Verdict::kPermanent);
  if (refused) return Finish(Verdict::kRefusedByServer);
  if (committed_) return Finish(Verdict::kCommitted);
  if (policy_.defer) return Finish(Verdict::kDeferred);
  if (steps_aside_) return Finish(Verdict::kLeftToChannel);
  if (!MayRepeat(end)) return Finish(Verdict::kNotRepeatable);
  if (attempts_ >= policy_.max_attempts) return Finish(Verdict::kAttemptsSpent);

  absl::Duration wait;
  if (end.pushback.kind == Pushback::Kind::kWait) {
    wait = end.pushback.delay;
    backoff_.Reset();
  } else {
    wait = std::max(backoff_.Next(chance), end.pushback.delay);
  }
  const absl::Time wake_at = now + wait;
  // The first comparison is for infinite waits: infinity less infinity is not
  // nothing.
  if (wake_at >= deadline_ || deadline_ - wake_at < policy_.least_useful_time ||
      AttemptTime(wake_at) <= absl::ZeroDuration()) {
    return Finish(Verdict::kDeadlineTooClose);
  }
  if (!Enforced()) {
    return Finish(budgets_.MaySpend(now) ? Verdict::kObserved
                                         : Verdict::kBudgetSpent);
  }
  if (!budgets_.TrySpend(now)) return Finish(Verdict::kBudgetSpent);

  state_ = State::kWaiting;
  Step step;
  step.wake_at = wake_at;
  return step;
}

Step RetryCall::TimerFired(absl::Time now) {
  assert(state_ == State::kWaiting);
  const Step step = StartAttempt(now);
  if (!step.start) budgets_.Refund();
  return step;
}

Step RetryCall::Cancelled() {
  assert(state_ != State::kFinished);
  if (state_ == State::kWaiting) budgets_.Refund();
  if (state_ == State::kAttempting) not_applied_ = false;  // Nobody knows.
  return Finish(Verdict::kCancelled);
}

bool RetryCall::Enforced() const { return policy_.mode == Mode::kEnforce; }

absl::Duration RetryCall::AttemptTimeout() const {
  if (steps_aside_) return absl::InfiniteDuration();
  return connecting_ ? policy_.attempt_timeout + policy_.connect_allowance
                     : policy_.attempt_timeout;
}

absl::Duration RetryCall::AttemptTime(absl::Time at) const {
  const absl::Duration left = deadline_ - at;
  if (!Enforced()) return left;
  return RoundDownToWire(std::min(left, AttemptTimeout()));
}

Step RetryCall::StartAttempt(absl::Time now) {
  const absl::Duration time = AttemptTime(now);
  if (time <= absl::ZeroDuration()) return Finish(Verdict::kDeadline);
  // An attempt bounded by its own timeout is not the end of the call; one that
  // was given all the time left is.
  bounded_by_call_ = !Enforced() || deadline_ - now <= AttemptTimeout();
  state_ = State::kAttempting;
  Step step;
  step.start = true;
  step.attempt = ++attempts_;
  step.time = time;
  return step;
}

Step RetryCall::Finish(Verdict verdict) {
  state_ = State::kFinished;
  Step step;
  step.finished = true;
  step.verdict = verdict;
  return step;
}

StatusClass RetryCall::ClassOf(const AttemptEnd& end) const {
  const StatusClass listed = policy_.classes.Of(end.code);
  return end.timed_out && listed != StatusClass::kListed
             ? StatusClass::kUnknownOutcome
             : listed;
}

bool RetryCall::MayPass(const AttemptEnd& end) const {
  switch (ClassOf(end)) {
    case StatusClass::kTransient:
    case StatusClass::kListed:
    case StatusClass::kUnknownOutcome:
      return true;
    case StatusClass::kThrottled:
      return end.pushback.kind != Pushback::Kind::kAbsent;
    case StatusClass::kPermanent:
    case StatusClass::kConflict:
    case StatusClass::kAmbiguous:
      return false;
  }
  return false;
}

bool RetryCall::MayRepeat(const AttemptEnd& end) const {
  if (end.not_applied) return true;
  if (ClassOf(end) == StatusClass::kListed) return true;
  if (policy_.repeatable != Repeatable::kUnknown) {
    return policy_.repeatable == Repeatable::kYes;
  }
  if (facts_.declared == Repeatable::kYes) return true;
  return facts_.has_key && policy_.server_honours_keys;
}

}  // namespace forbear
