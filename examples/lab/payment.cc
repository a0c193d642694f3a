#include "examples/lab/payment.h"

#include <set>
#include <string>

#include "absl/time/time.h"
#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/scripted_callee.h"
#include "interceptors/testing/simulated_call.h"
#include "interceptors/testing/split_mix64.h"

namespace lab {

PaymentFigures RunPayment(PaymentManner manner) {
  forbear::ManualClock clock;
  forbear::SplitMix64 chance(7);
  forbear::SimulatedCall call;
  call.policy.max_attempts = 2;
  call.policy.attempt_timeout = absl::Milliseconds(500);
  if (manner == PaymentManner::kWithoutKey) {
    call.policy.repeatable = forbear::Repeatable::kYes;
  }
  // One key for the logical call; every attempt carries it.
  const std::string key = manner == PaymentManner::kWithKey ? "order 1" : "";
  call.policy.server_honours_keys = manner == PaymentManner::kWithKey;
  call.facts.has_key = !key.empty();

  PaymentFigures figures;
  std::set<std::string> seen;
  const forbear::Callee reply =
      forbear::Scripted(clock, {forbear::Succeed(absl::Milliseconds(900)),
                                forbear::Succeed(absl::Milliseconds(100))});
  const forbear::Callee provider = [&](const forbear::Arrival& arrival,
                                       const forbear::Answer& answer) {
    if (key.empty() || seen.insert(key).second) ++figures.charged;
    reply(arrival, answer);
  };
  const forbear::CallTrace trace =
      forbear::RunCall(clock, chance, call, provider);
  figures.attempts = static_cast<int>(trace.attempts.size());
  figures.verdict = trace.verdict;
  figures.outcome_unknown =
      trace.verdict != forbear::Verdict::kSucceeded && !trace.not_applied;
  return figures;
}

}  // namespace lab
