#include "examples/lab/report.h"

#include "examples/lab/timers.h"

namespace lab {

Report MakeReport(const HerdPlan& plan) {
  Report report;
  report.plan = plan;
  for (const auto jitter :
       {forbear::Jitter::kNone, forbear::Jitter::kFull, forbear::Jitter::kEqual,
        forbear::Jitter::kDecorrelated}) {
    report.herd.push_back(
        {jitter, RunHerd(plan, jitter, plan.seed), MeanHerd(plan, jitter)});
  }
  for (const Stack& stack : kStacks) {
    report.layers.push_back({stack, AttemptsReaching(stack, Signal::kOff),
                             AttemptsReaching(stack, Signal::kOn)});
  }
  const forbear::RetryBudgetOptions bucket = SmallBucket();
  report.without_budget = RunRequests(nullptr);
  report.with_budget = RunRequests(&bucket);
  for (const DeadlineCase& each : kDeadlineCases) {
    report.deadline.push_back({&each, RunCase(each)});
  }
  report.without_key = RunPayment(PaymentManner::kWithoutKey);
  report.with_key = RunPayment(PaymentManner::kWithKey);
  report.unsaid = RunPayment(PaymentManner::kUnsaid);
  report.periodic = {BusiestOfFleet(Timing::kTogether),
                     BusiestOfFleet(Timing::kSpread)};
  report.sweep = {BusiestOfSweep(Timing::kTogether),
                  BusiestOfSweep(Timing::kSpread)};
  return report;
}

}  // namespace lab
