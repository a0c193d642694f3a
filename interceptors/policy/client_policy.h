// All that decides about a client's retries: its methods and its budgets.
//
//   ClientPolicy policy;
//   policy.Set("shop.Routes/Estimate", estimate);   // As PolicyTable::Set().
//   policy.target_budget.ratio = 0.2;
//   options.policy = policy;
//
// Or from a file: options.policy = LoadPolicy("shop.json")->client.
//
// Thread-safety: thread-compatible; build it, then only read it.
// Units:         beside each field.
// Errors:        Validate() names the first bad field, its range and its value.
#ifndef FORBEAR_INTERCEPTORS_POLICY_CLIENT_POLICY_H_
#define FORBEAR_INTERCEPTORS_POLICY_CLIENT_POLICY_H_

#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/policy_table.h"
#include "interceptors/policy/retry_budget.h"

namespace forbear {

struct ClientPolicy {
  ClientPolicy() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a table is a policy.
  ClientPolicy(PolicyTable table) : methods(std::move(table)) {}
  // The same policy for every method.
  // NOLINTNEXTLINE(google-explicit-constructor)
  ClientPolicy(const MethodPolicy& everywhere) : methods(everywhere) {}

  // Changes the methods alone: the budgets stay as they are.
  ClientPolicy& operator=(PolicyTable table) {
    methods = std::move(table);
    return *this;
  }
  ClientPolicy& operator=(const MethodPolicy& everywhere) {
    methods = everywhere;
    return *this;
  }

  void Set(absl::string_view name, const MethodPolicy& policy) {
    methods.Set(name, policy);
  }
  // The bucket of the target that a channel is made for.
  const RetryBudgetOptions& BudgetOf(const std::string& target) const;

  absl::Status Validate() const;

  PolicyTable methods;

  // The bucket of each target that `targets` does not name. Channels of one
  // process to the same target share it; the first to be made has its say.
  RetryBudgetOptions target_budget;
  std::map<std::string, RetryBudgetOptions> targets;
  // The bucket that all targets of the process share; as above.
  RetryBudgetOptions process_budget;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_CLIENT_POLICY_H_
