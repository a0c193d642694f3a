#include "examples/lab/budget.h"

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "interceptors/policy/verdict.h"
#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/scripted_callee.h"
#include "interceptors/testing/simulated_call.h"
#include "interceptors/testing/split_mix64.h"

namespace lab {

forbear::RetryBudgetOptions SmallBucket() {
  forbear::RetryBudgetOptions bucket;
  bucket.ratio = 0.1;
  bucket.ceiling = 10;
  bucket.burst_window = absl::ZeroDuration();
  bucket.floor = 0;
  return bucket;
}

BudgetFigures RunRequests(const forbear::RetryBudgetOptions* bucket) {
  forbear::ManualClock clock;
  forbear::SplitMix64 chance(7);
  absl::optional<forbear::RetryBudget> budget;
  if (bucket != nullptr) budget.emplace(*bucket, clock.Now());
  forbear::SimulatedCall call;
  call.policy.max_attempts = 1 + kRetries;
  call.policy.repeatable = forbear::Repeatable::kYes;
  call.budgets.process = budget.has_value() ? &*budget : nullptr;
  const forbear::Callee dead =
      forbear::Scripted(clock, {forbear::Fail(absl::StatusCode::kUnavailable)});

  BudgetFigures figures;
  for (int request = 0; request < kRequests; ++request) {
    const forbear::CallTrace trace =
        forbear::RunCall(clock, chance, call, dead);
    figures.attempts += static_cast<int>(trace.attempts.size());
    figures.allowed += static_cast<int>(trace.attempts.size()) - 1;
    figures.refused += trace.verdict == forbear::Verdict::kBudgetSpent ? 1 : 0;
  }
  return figures;
}

}  // namespace lab
