// The engine: one logical call, told what happened, says what to do.
//
// It takes no time and opens no socket. Whoever drives it (the client's
// interceptor on real sockets, the lab on a manual clock) reports events with
// the instant at which they happened, and carries out the step it gets back.
//
//   RetryCall call(policy, budgets, facts);
//   Step step = call.Start(now, deadline, inbound_deadline);
//   while (!step.finished) {
//     if (step.start) step = call.AttemptEnded(later, Send(step), bitgen);
//     else step = call.TimerFired(SleepUntil(step.wake_at));
//   }
//   Report(step.verdict);
//
// That is the whole of it for a call that is not hedged: one attempt, or one
// wait, at a time. A hedged call (see hedging.h) has several attempts under way
// and a timer beside them; whoever drives such calls reports each attempt's end
// by its number, and goes by the newest step:
//
//   if (step.finished) CancelAllThatIsUnderWay();   // Their ends are not told.
//   if (step.start) SendWithoutWaiting(step);
//   SetTheOneTimer(step.wake_at);                   // Or clear it: infinite.
//
// After a failure it asks, in order of regret: may it pass? did the server say
// no? is it ours to retry? is it repeatable? are attempts left? does a wait and
// a useful attempt fit in the time left? does the budget allow it? Asking the
// budget spends, so it is asked last; a retry that will wait is charged when it
// is scheduled, and paid back if the wait ends in no attempt.
//
// Unless its policy enforces, it changes nothing: one attempt with the call's
// own deadline, and a verdict that says what would have been done.
//
// Thread-safety: thread-compatible; events of a call come one at a time.
// Units:         instants are the driver's, on any epoch; Durations are exact.
// Errors:        none. An event that cannot follow the last one is a bug of
//                the driver; debug builds assert it.
#ifndef FORBEAR_INTERCEPTORS_POLICY_RETRY_CALL_H_
#define FORBEAR_INTERCEPTORS_POLICY_RETRY_CALL_H_

#include <cstdint>

#include "absl/random/bit_gen_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/status_class.h"
#include "interceptors/policy/verdict.h"

namespace forbear {

// What is known of the call besides its policy.
struct CallFacts {
  // `idempotency_level` of the method in its .proto: kYes for NO_SIDE_EFFECTS
  // and IDEMPOTENT, else kUnknown.
  Repeatable declared = Repeatable::kUnknown;
  // It carries an `idempotency-key`.
  bool has_key = false;
  // Its `idempotency_level` is NO_SIDE_EFFECTS.
  bool reads = false;
  // What `hedging.percentile` of the method's calls took at most; infinite
  // until enough were measured.
  absl::Duration measured = absl::InfiniteDuration();
};

// How an attempt ended.
struct AttemptEnd {
  absl::StatusCode code = absl::StatusCode::kOk;
  Pushback pushback;
  // Proof that the server did not apply it: its guard refused it before the
  // handler, or it never reached a transport.
  bool not_applied = false;
  // DEADLINE_EXCEEDED because the attempt's own time ran out here, not because
  // the server answered so. Its outcome is unknown, whatever class the policy
  // gives to the code: whoever sets an attempt timeout means to try again.
  bool timed_out = false;
  // Which attempt; 0 is the only one under way.
  int attempt = 0;
};

// What to do next: start an attempt, or wait, or finish.
struct Step {
  bool start = false;
  // Counted from 1. Of a call that is finished: whose end is the call's own;
  // 0 if none's is.
  int attempt = 0;
  // Others are under way, and stay so.
  bool hedge = false;
  // The attempt's time: min(attempt timeout, time left), rounded down to what
  // the wire can say. Infinite without any limit. (Time left, if the policy
  // does not enforce.)
  absl::Duration time = absl::InfiniteDuration();

  // When to call TimerFired(), whatever an earlier step said; infinite future:
  // there is nothing to wait for but the attempts under way.
  absl::Time wake_at = absl::InfiniteFuture();

  bool finished = false;
  Verdict verdict = Verdict::kSucceeded;
};

class RetryCall {
 public:
  // `policy` and the buckets must outlive the call.
  RetryCall(const MethodPolicy& policy, RetryBudgets budgets, CallFacts facts);

  // gRPC's own retries act on this call: ours step aside, hedges too. There is
  // one attempt, without an attempt timeout, and nothing is known of its
  // outcome. Also once the attempt is under way.
  void StepAside() { steps_aside_ = true; }

  // Retries after failures alone, whatever the policy says of hedges: the call
  // is of a kind that is not hedged. Before Start().
  void DoNotHedge() { may_hedge_ = false; }

  // Whether attempts that start from now on have to connect first, for which
  // the policy has an allowance.
  void SetConnecting(bool connecting) { connecting_ = connecting; }

  // Earns from the budgets, if there is time for an attempt. `deadline` is the
  // call's own, `inbound_deadline` that of the call in whose handler it is
  // made; infinite where there is none.
  Step Start(absl::Time now, absl::Time deadline, absl::Time inbound_deadline);

  Step AttemptEnded(absl::Time now, const AttemptEnd& end,
                    absl::BitGenRef chance);
  Step TimerFired(absl::Time now);

  // The caller gave up, during an attempt or during a wait.
  Step Cancelled();

  // The application has been shown part of the answer: no further attempt, and
  // no timer. Of several under way the others are cancelled, and not told of.
  void Commit();

  // Attempts started so far, and those that have not ended.
  int attempts() const { return attempts_; }
  int under_way() const { return under_way_; }
  // The earliest of all that bounds the call.
  absl::Time deadline() const { return deadline_; }
  absl::Time started() const { return started_; }
  // True while every attempt that ended is known not to be applied. Of one that
  // was under way when the call ended, nobody knows.
  bool not_applied() const { return not_applied_; }

 private:
  enum class State : uint8_t { kNew, kAttempting, kWaiting, kFinished };

  bool Enforced() const;
  bool Hedges() const;
  absl::Duration HedgingDelay() const;
  absl::Duration AttemptTimeout() const;
  absl::Duration AttemptTime(absl::Time at) const;
  bool HasUsefulTime(absl::Time at) const;
  bool MayHedge(absl::Time at) const;
  Step StartAttempt(absl::Time now);
  Step StartHedge(absl::Time now);
  Step HedgedAttemptFailed(absl::Time now, const Pushback& pushback,
                           int attempt);
  Step Go(absl::Time wake_at);
  Step Finish(Verdict verdict, int attempt);
  StatusClass ClassOf(const AttemptEnd& end) const;
  bool MayPass(const AttemptEnd& end) const;
  bool MayRepeat(const AttemptEnd& end) const;

  const MethodPolicy& policy_;
  const RetryBudgets budgets_;
  const CallFacts facts_;
  Backoff backoff_;
  State state_ = State::kNew;
  bool committed_ = false;
  bool steps_aside_ = false;
  bool may_hedge_ = true;
  bool connecting_ = false;
  bool not_applied_ = true;
  bool refused_ = false;  // By a pushback; attempts under way go on.
  int attempts_ = 0;
  int under_way_ = 0;
  uint8_t bounded_by_call_ = 0;  // Attempts that were given all the time left.
  absl::Time wake_at_ = absl::InfiniteFuture();
  absl::Time not_before_ = absl::InfinitePast();  // By a pushback.
  absl::Time started_;
  absl::Time deadline_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_RETRY_CALL_H_
