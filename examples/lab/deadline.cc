#include "examples/lab/deadline.h"

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/split_mix64.h"

namespace lab {
namespace {

using forbear::Fail;
using forbear::Reply;
using forbear::Succeed;

constexpr absl::Duration Ms(int64_t ms) { return absl::Milliseconds(ms); }

std::vector<Reply> SlowTwice() {
  return {Succeed(Ms(5'000)), Succeed(Ms(5'000)), Succeed(Ms(200))};
}

std::vector<Reply> SlowAlways() { return {Succeed(Ms(5'000))}; }

std::vector<Reply> PermanentError() {
  return {Fail(absl::StatusCode::kInvalidArgument, Ms(10))};
}

std::vector<Reply> ComeBackLater() {
  Reply busy = Fail(absl::StatusCode::kUnavailable, Ms(10));
  busy.end.pushback.kind = forbear::Pushback::Kind::kWait;
  busy.end.pushback.delay = Ms(5'000);
  return {busy};
}

}  // namespace

const DeadlineCase kDeadlineCases[4] = {
    {"a", "answers in 5,000 ms twice, then in 200 ms", SlowTwice},
    {"b", "answers in 5,000 ms, always", SlowAlways},
    {"c", "a permanent error after 10 ms", PermanentError},
    {"d", "fails after 10 ms: come back in 5,000 ms", ComeBackLater},
};

forbear::CallTrace RunCase(const DeadlineCase& deadline_case) {
  forbear::ManualClock clock;
  forbear::SplitMix64 chance(7);
  forbear::SimulatedCall call;
  call.timeout = Ms(2'000);
  call.policy.max_attempts = 5;
  call.policy.attempt_timeout = Ms(800);
  call.policy.repeatable = forbear::Repeatable::kYes;
  call.policy.backoff.jitter = forbear::Jitter::kFull;
  call.policy.backoff.initial = Ms(100);
  call.policy.backoff.max = Ms(1'000);
  return forbear::RunCall(clock, chance, call,
                          forbear::Scripted(clock, deadline_case.script()));
}

}  // namespace lab
