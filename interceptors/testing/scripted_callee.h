// A callee that answers from a script, to test what a policy makes of it.
//
// Does your policy give up in time? Ten lines, no waiting:
//
//   TEST(RoutesPolicy, GivesUpWhileItsCallerCanStillUseTheTime) {
//     ManualClock clock;
//     SplitMix64 chance(7);
//     SimulatedCall call;
//     call.policy = RoutesPolicy();
//     call.timeout = absl::Seconds(1);
//     CallTrace trace = RunCall(clock, chance, call, Scripted(clock, {
//         Fail(absl::StatusCode::kUnavailable, absl::Milliseconds(200))}));
//     EXPECT_EQ(trace.verdict, Verdict::kDeadlineTooClose);
//     EXPECT_LT(trace.elapsed, absl::Milliseconds(800));
//   }
//
// Thread-safety: thread-compatible.
// Units:         latencies count from the attempt's arrival.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_TESTING_SCRIPTED_CALLEE_H_
#define FORBEAR_INTERCEPTORS_TESTING_SCRIPTED_CALLEE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/policy/retry_call.h"
#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/simulated_call.h"

namespace forbear {

struct Reply {
  absl::Duration latency;  // Infinite: it never comes.
  AttemptEnd end;
};

Reply Succeed(absl::Duration latency = absl::ZeroDuration());
Reply Fail(absl::StatusCode code,
           absl::Duration latency = absl::ZeroDuration());

// Gives the replies in turn, whoever asks, and the last of them ever after.
// `script` is not empty; `clock` must outlive the callee.
Callee Scripted(ManualClock& clock, std::vector<Reply> script);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_TESTING_SCRIPTED_CALLEE_H_
