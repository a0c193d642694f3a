// The buckets that channels of one process share.
//
//   auto target = BucketOfTarget("dns:///routes:50051", options, Say::kFirst);
//   auto process = BucketOfProcess(options, Say::kFirst);
//
// Not part of the library's API.
//
// Thread-safety: safe for concurrent use; each takes a lock, and is asked when
//                a channel is made or a policy file has changed.
// Units:         none.
// Errors:        none; options must be valid.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_SHARED_BUDGETS_H_
#define FORBEAR_INTERCEPTORS_CLIENT_SHARED_BUDGETS_H_

#include <memory>
#include <string>

#include "interceptors/policy/retry_budget.h"

namespace forbear {

// Whose options hold for a bucket that is there already.
enum class Say {
  kFirst,  // Those of whoever made it.
  kLast,   // These: if they differ, a bucket of them takes over from the old
           // one, as full as that is. Who has the old one keeps it.
};

// Known while any channel has it.
std::shared_ptr<RetryBudget> BucketOfTarget(const std::string& target,
                                            const RetryBudgetOptions& options,
                                            Say say);
std::shared_ptr<RetryBudget> BucketOfProcess(const RetryBudgetOptions& options,
                                             Say say);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_SHARED_BUDGETS_H_
