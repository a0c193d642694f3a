// Part 2, the budget: requests to a dependency that is down for all of them.
//
//   const BudgetFigures bare = RunRequests(nullptr);
//   const forbear::RetryBudgetOptions bucket = SmallBucket();
//   const BudgetFigures bounded = RunRequests(&bucket);
//
// Thread-safety: pure functions.
// Units:         attempts, retries, requests.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_BUDGET_H_
#define FORBEAR_EXAMPLES_LAB_BUDGET_H_

#include "interceptors/policy/retry_budget.h"

namespace lab {

inline constexpr int kRequests = 1'000;
inline constexpr int kRetries = 3;  // Of each request, at most.

struct BudgetFigures {
  int attempts = 0;
  int allowed = 0;  // Retries.
  int refused = 0;  // Requests whose next retry the bucket refused.
};

// Starts full at 10, holds 10 at most, earns 0.1 a request; no floor.
forbear::RetryBudgetOptions SmallBucket();

// One after another, all from one bucket; null: none.
BudgetFigures RunRequests(const forbear::RetryBudgetOptions* bucket);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_BUDGET_H_
