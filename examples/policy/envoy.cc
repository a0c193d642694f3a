#include "examples/policy/envoy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "examples/policy/envoy_route.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy_file/field_list.h"
#include "interceptors/policy_file/json_writer.h"
#include "interceptors/policy_file/tree.h"
#include "interceptors/policy_file/tree_values.h"

namespace policy_tool {
namespace {

using forbear::EmptyList;
using forbear::EmptyObject;
using forbear::NumberTree;
using forbear::Put;
using forbear::Tree;
using forbear::WriteNumber;

void PutBudget(Tree& file, const forbear::RetryBudgetOptions& budget,
               std::vector<std::string>* lost) {
  const std::string all = forbear::InWords(forbear::ListFields(budget));
  if (budget.rule == forbear::RetryBudgetOptions::Rule::kThrottle) {
    lost->push_back(
        absl::StrCat("target_budget: ", all, " has no field there: left out"));
    return;
  }
  Tree& breakers = Put(file, "circuit_breakers", EmptyObject());
  Tree& threshold =
      Put(Put(breakers, "thresholds", EmptyList()), EmptyObject());
  Tree& there = Put(threshold, "retry_budget", EmptyObject());
  const double percent = std::min(100 * budget.ratio, 100.0);
  Put(Put(there, "budget_percent", EmptyObject()), "value",
      NumberTree(percent));
  const int least = static_cast<int>(std::lround(budget.ceiling));
  Put(there, "min_retry_concurrency", NumberTree(least));
  lost->push_back(absl::StrCat(
      "target_budget: ", all, " becomes ", WriteNumber(percent),
      " % of the requests under way, not of the calls made, and ", least,
      " retries that may be under way always; burst_window and floor have no "
      "field there"));
}

}  // namespace

std::string WriteEnvoy(const forbear::ClientPolicy& policy,
                       const std::string& cluster,
                       std::vector<std::string>* lost) {
  Tree file = EmptyObject();
  Tree routes = EmptyList();
  std::vector<std::string> names = policy.methods.names();
  std::stable_partition(names.begin(), names.end(), [](const auto& name) {
    return name.find('/') != std::string::npos;
  });
  names.push_back("");
  for (const std::string& name : names) {
    Put(routes,
        WriteEnvoyRoute(name, *policy.methods.Find(name), cluster, lost));
  }
  Put(file, "routes", std::move(routes));
  PutBudget(file, policy.target_budget, lost);
  for (const auto& [target, budget] : policy.targets) {
    lost->push_back(absl::StrCat("targets[", target, "]: ",
                                 forbear::InWords(forbear::ListFields(budget)),
                                 ": a cluster has one budget: left out"));
  }
  lost->push_back(
      absl::StrCat("process_budget: ",
                   forbear::InWords(forbear::ListFields(policy.process_budget)),
                   " has no field there: left out"));
  return WriteJson(file);
}

}  // namespace policy_tool
