#include "interceptors/policy/retry_call.h"

#include <algorithm>
#include <cassert>

#include "interceptors/policy/wire_timeout.h"

namespace forbear {
namespace {

// No more than five attempts are under way at once, and with no gap but those
// that have ended: eight bits tell them apart.
uint8_t BitOf(int attempt) { return static_cast<uint8_t>(1 << attempt % 8); }

}  // namespace

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
    deadline_ = std::min(deadline, inbound_deadline - policy_.reserve);
    if (deadline_ == absl::InfiniteFuture()) {
      deadline_ = now + policy_.default_deadline;
    }
    deadline_ = std::min(deadline_, now + policy_.max_deadline);
  }
  const Step step = StartAttempt(now);
  if (step.start) budgets_.CallStarted(now);
  return step;
}

Step RetryCall::AttemptEnded(absl::Time now, const AttemptEnd& end,
                             absl::BitGenRef chance) {
  assert(state_ == State::kAttempting);
  const int attempt = end.attempt == 0 ? attempts_ : end.attempt;
  --under_way_;
  // Behind an attempt of gRPC's that was not applied may be one that was.
  not_applied_ = not_applied_ && end.not_applied && !steps_aside_;
  if (end.code == absl::StatusCode::kOk) {
    budgets_.AttemptSucceeded();
    return Finish(Verdict::kSucceeded, attempt);
  }
  if (end.timed_out && (bounded_by_call_ & BitOf(attempt)) != 0) {
    return Finish(Verdict::kDeadline, attempt);
  }

  refused_ = refused_ || end.pushback.kind == Pushback::Kind::kRefused;
  const bool may_pass = MayPass(end);
  if (may_pass || end.pushback.kind == Pushback::Kind::kRefused) {
    budgets_.AttemptFailed();
  }
  if (!may_pass) return Finish(Verdict::kPermanent, attempt);
  if (Hedges()) return HedgedAttemptFailed(now, end.pushback, attempt);
  if (refused_) return Finish(Verdict::kRefusedByServer, attempt);
  if (committed_) return Finish(Verdict::kCommitted, attempt);
  if (policy_.defer) return Finish(Verdict::kDeferred, attempt);
  if (steps_aside_) return Finish(Verdict::kLeftToChannel, attempt);
  if (!MayRepeat(end)) return Finish(Verdict::kNotRepeatable, attempt);
  if (attempts_ >= policy_.max_attempts) {
    return Finish(Verdict::kAttemptsSpent, attempt);
  }

  absl::Duration wait;
  if (end.pushback.kind == Pushback::Kind::kWait) {
    wait = end.pushback.delay;
    backoff_.Reset();
  } else {
    wait = std::max(backoff_.Next(chance), end.pushback.delay);
  }
  if (!HasUsefulTime(now + wait)) {
    return Finish(Verdict::kDeadlineTooClose, attempt);
  }
  if (!Enforced()) {
    return Finish(
        budgets_.MaySpend(now) ? Verdict::kObserved : Verdict::kBudgetSpent,
        attempt);
  }
  if (!budgets_.TrySpend(now)) return Finish(Verdict::kBudgetSpent, attempt);
  state_ = State::kWaiting;
  return Go(now + wait);
}

// Others may be under way, and may still answer.
Step RetryCall::HedgedAttemptFailed(absl::Time now, const Pushback& pushback,
                                    int attempt) {
  if (pushback.kind == Pushback::Kind::kWait ||
      pushback.kind == Pushback::Kind::kAtLeast) {
    not_before_ = now + pushback.delay;
  }
  const absl::Time at = std::max(now, not_before_);
  if (under_way_ > 0) {
    if (!MayHedge(at)) return Go(absl::InfiniteFuture());
    return at > now ? Go(at) : StartHedge(now);
  }
  if (refused_) return Finish(Verdict::kRefusedByServer, attempt);
  if (committed_) return Finish(Verdict::kCommitted, attempt);
  if (attempts_ >= policy_.hedging.max_attempts) {
    return Finish(Verdict::kAttemptsSpent, attempt);
  }
  if (!HasUsefulTime(at)) return Finish(Verdict::kDeadlineTooClose, attempt);
  if (!budgets_.TrySpend(now)) return Finish(Verdict::kBudgetSpent, attempt);
  if (at <= now) return StartAttempt(now);
  state_ = State::kWaiting;
  return Go(at);
}

Step RetryCall::TimerFired(absl::Time now) {
  assert(state_ == State::kWaiting || under_way_ > 0);
  if (state_ == State::kAttempting) {
    wake_at_ = absl::InfiniteFuture();
    return MayHedge(now) ? StartHedge(now) : Go(wake_at_);
  }
  const Step step = StartAttempt(now);
  if (!step.start) budgets_.Refund();
  return step;
}

Step RetryCall::Cancelled() {
  assert(state_ != State::kFinished);
  if (state_ == State::kWaiting) budgets_.Refund();
  return Finish(Verdict::kCancelled, /*attempt=*/0);
}

void RetryCall::Commit() {
  committed_ = true;
  under_way_ = std::min(under_way_, 1);
  wake_at_ = absl::InfiniteFuture();
}

bool RetryCall::Enforced() const { return policy_.mode == Mode::kEnforce; }

bool RetryCall::Hedges() const {
  const HedgingOptions& hedging = policy_.hedging;
  return may_hedge_ && hedging.enabled() && Enforced() && !policy_.defer &&
         !steps_aside_ && policy_.repeatable != Repeatable::kNo &&
         (facts_.reads || hedging.assume_read);
}

absl::Duration RetryCall::HedgingDelay() const {
  const HedgingOptions& hedging = policy_.hedging;
  return hedging.percentile == 0 ? hedging.delay
                                 : std::max(hedging.delay, facts_.measured);
}

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

bool RetryCall::HasUsefulTime(absl::Time at) const {
  // The first comparison is for infinite waits: infinity less infinity is not
  // nothing.
  return at < deadline_ && deadline_ - at >= policy_.least_useful_time &&
         AttemptTime(at) > absl::ZeroDuration();
}

bool RetryCall::MayHedge(absl::Time at) const {
  return Hedges() && attempts_ < policy_.hedging.max_attempts && !refused_ &&
         !committed_ && HasUsefulTime(at);
}

Step RetryCall::StartAttempt(absl::Time now) {
  const absl::Duration time = AttemptTime(now);
  if (time <= absl::ZeroDuration()) {
    return Finish(Verdict::kDeadline, /*attempt=*/0);
  }
  ++attempts_;
  // An attempt bounded by its own timeout is not the end of the call; one that
  // was given all the time left is.
  const uint8_t bit = BitOf(attempts_);
  bounded_by_call_ &= static_cast<uint8_t>(~bit);
  if (!Enforced() || deadline_ - now <= AttemptTimeout()) {
    bounded_by_call_ |= bit;
  }
  state_ = State::kAttempting;
  const absl::Time next = std::max(now + HedgingDelay(), not_before_);
  Step step = Go(MayHedge(next) ? next : absl::InfiniteFuture());
  step.start = true;
  step.attempt = attempts_;
  step.hedge = under_way_ > 0;
  step.time = time;
  ++under_way_;
  return step;
}

// One that the budgets do not allow is not sent: the timer stands as it stood.
Step RetryCall::StartHedge(absl::Time now) {
  return budgets_.TrySpendHedge(now) ? StartAttempt(now) : Go(wake_at_);
}

Step RetryCall::Go(absl::Time wake_at) {
  wake_at_ = wake_at;
  Step step;
  step.wake_at = wake_at;
  return step;
}

Step RetryCall::Finish(Verdict verdict, int attempt) {
  state_ = State::kFinished;
  if (under_way_ > 0) not_applied_ = false;  // Nobody knows.
  Step step;
  step.finished = true;
  step.attempt = attempt;
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
