// One logical call on a manual clock, driven by the engine that runs in
// production.
//
// Whoever answers is a function: it is handed each attempt, and answers it then
// or later, from a timer or when a call of its own has ended. So callees nest,
// and share clocks and budgets, as services do.
//
//   SimulatedCall call;
//   call.policy.max_attempts = 3;
//   call.timeout = absl::Seconds(1);
//   CallTrace trace = RunCall(clock, chance, call, callee);
//
// Thread-safety: thread-compatible; all calls on a clock belong to one thread.
// Units:         instants are the clock's; a trace counts from the call's
// start. Errors:        none. A call that nothing will ever end is not
// `finished`.
#ifndef FORBEAR_INTERCEPTORS_TESTING_SIMULATED_CALL_H_
#define FORBEAR_INTERCEPTORS_TESTING_SIMULATED_CALL_H_

#include <functional>
#include <vector>

#include "absl/random/bit_gen_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/retry_call.h"
#include "interceptors/policy/verdict.h"
#include "interceptors/testing/manual_clock.h"

namespace forbear {

// What is called, and how.
struct SimulatedCall {
  MethodPolicy policy;
  RetryBudgets budgets;
  CallFacts facts;
  // The call's own deadline, since its start.
  absl::Duration timeout = absl::InfiniteDuration();
  // What is left of the call in whose handler this one is made.
  absl::Duration inbound = absl::InfiniteDuration();
  // When its caller gives up.
  absl::Duration cancelled = absl::InfiniteDuration();
  // Of its timers: which of several calls goes first when they tie.
  int rank = 0;
};

// An attempt, as its callee sees it.
struct Arrival {
  int attempt = 0;      // Counted from 1.
  absl::Time at;        // Now.
  absl::Duration time;  // What it was given.
};

// Ends the attempt. Only the first use has effect, and only if the attempt has
// not ended otherwise: a callee may answer too late.
using Answer = std::function<void(const AttemptEnd&)>;
using Callee = std::function<void(const Arrival&, Answer)>;

// What became of a call.
struct CallTrace {
  std::vector<absl::Duration> attempts;  // When each began.
  std::vector<absl::Duration> times;     // What each was given.
  std::vector<absl::Duration> waits;     // While no attempt was under way.
  std::vector<int> hedges;  // The attempts sent while others were under way.
  int answered = 0;         // The attempt whose end is the call's; 0: none's.
  int cancelled = 0;        // Attempts under way when the call ended.
  bool finished = false;
  Verdict verdict = Verdict::kSucceeded;
  absl::StatusCode code = absl::StatusCode::kOk;  // As its caller sees it.
  bool not_applied = false;
  absl::Duration elapsed;
};

// Starts the call now; `done` is told when it has ended. `clock` and `chance`
// must outlive it.
void StartCall(ManualClock& clock, absl::BitGenRef chance,
               const SimulatedCall& call, Callee callee,
               std::function<void(const CallTrace&)> done);

// Starts the call, and moves the clock on until it has ended.
CallTrace RunCall(ManualClock& clock, absl::BitGenRef chance,
                  const SimulatedCall& call, Callee callee);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_TESTING_SIMULATED_CALL_H_
