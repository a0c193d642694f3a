#include "interceptors/client/shared_budgets.h"

#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "interceptors/context/clock.h"
#include "interceptors/policy_file/field_list.h"

namespace forbear {
namespace {

struct Bucket {
  std::weak_ptr<RetryBudget> budget;
  RetryBudgetOptions options;
};

struct Registry {
  std::mutex mutex;
  absl::flat_hash_map<std::string, Bucket> targets;
  Bucket process;
  // The process's bucket outlives the channels that drew from it.
  std::shared_ptr<RetryBudget> of_process;
};

Registry& Known() {
  static Registry* const registry = new Registry;  // Outlives every channel.
  return *registry;
}

std::shared_ptr<RetryBudget> Get(Bucket& bucket,
                                 const RetryBudgetOptions& options, Say say) {
  std::shared_ptr<RetryBudget> budget = bucket.budget.lock();
  if (budget == nullptr) {
    budget = std::make_shared<RetryBudget>(options, SteadyNow());
  } else if (say == Say::kFirst || SameMeaning(options, bucket.options)) {
    return budget;
  } else {
    budget = std::make_shared<RetryBudget>(options, *budget, SteadyNow());
  }
  bucket.budget = budget;
  bucket.options = options;
  return budget;
}

}  // namespace

std::shared_ptr<RetryBudget> BucketOfTarget(const std::string& target,
                                            const RetryBudgetOptions& options,
                                            Say say) {
  Registry& known = Known();
  std::lock_guard<std::mutex> lock(known.mutex);
  return Get(known.targets[target], options, say);
}

std::shared_ptr<RetryBudget> BucketOfProcess(const RetryBudgetOptions& options,
                                             Say say) {
  Registry& known = Known();
  std::lock_guard<std::mutex> lock(known.mutex);
  known.of_process = Get(known.process, options, say);
  return known.of_process;
}

}  // namespace forbear
