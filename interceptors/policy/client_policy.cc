#include "interceptors/policy/client_policy.h"

#include "absl/strings/str_cat.h"

namespace forbear {

const RetryBudgetOptions& ClientPolicy::BudgetOf(
    const std::string& target) const {
  const auto found = targets.find(target);
  return found == targets.end() ? target_budget : found->second;
}

absl::Status ClientPolicy::Validate() const {
  absl::Status status = methods.Validate();
  if (status.ok()) status = target_budget.Validate("target_budget.");
  for (const auto& [target, budget] : targets) {
    if (!status.ok()) return status;
    status = budget.Validate(absl::StrCat("targets[", target, "]."));
  }
  if (status.ok()) status = process_budget.Validate("process_budget.");
  return status;
}

}  // namespace forbear
