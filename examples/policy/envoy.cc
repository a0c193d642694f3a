#include "examples/policy/envoy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "examples/policy/answers.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy_file/field_list.h"
#include "interceptors/policy_file/json_writer.h"
#include "interceptors/policy_file/tree_values.h"

namespace policy_tool {
namespace {

using forbear::EmptyList;
using forbear::EmptyObject;
using forbear::MethodPolicy;
using forbear::NumberTree;
using forbear::Put;
using forbear::TextTree;
using forbear::Tree;
using forbear::WriteDuration;
using forbear::WriteNumber;

// The gRPC conditions that `retry_on` knows.
absl::string_view ConditionOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kCancelled:
      return "cancelled";
    case absl::StatusCode::kDeadlineExceeded:
      return "deadline-exceeded";
    case absl::StatusCode::kInternal:
      return "internal";
    case absl::StatusCode::kResourceExhausted:
      return "resource-exhausted";
    case absl::StatusCode::kUnavailable:
      return "unavailable";
    default:
      return "";
  }
}

class Route {
 public:
  Route(const std::string& name, const MethodPolicy& policy,
        std::vector<std::string>* lost)
      : whose_(name.empty() ? "everything else" : name),
        name_(name),
        policy_(policy),
        lost_(lost) {}

  Tree Made(const std::string& cluster) const {
    SayWhatHasNoField();
    Tree route = EmptyObject();
    Tree& match = Put(route, "match", EmptyObject());
    const bool one = name_.find('/') != std::string::npos;
    Put(match, one ? "path" : "prefix",
        TextTree(name_.empty() ? "/"
                               : absl::StrCat("/", name_, one ? "" : "/")));
    Put(match, "grpc", EmptyObject());
    Tree& action = Put(route, "route", EmptyObject());
    Put(action, "cluster", TextTree(cluster));
    // 0 is no limit; without it Envoy's is 15 s.
    const bool limited = policy_.mode != forbear::Mode::kOff &&
                         policy_.call_timeout != absl::InfiniteDuration();
    Put(action, "timeout",
        TextTree(limited ? WriteDuration(policy_.call_timeout) : "0s"));
    PutRetries(action);
    return route;
  }

 private:
  void Lost(absl::string_view what) const {
    lost_->push_back(absl::StrCat(whose_, ": ", what));
  }

  void PutRetries(Tree& action) const {
    const bool retries = policy_.mode == forbear::Mode::kEnforce &&
                         !policy_.defer && policy_.max_attempts > 1;
    const std::vector<std::string> conditions =
        retries ? Conditions() : Nothing();
    if (conditions.empty()) return;
    Tree& retry = Put(action, "retry_policy", EmptyObject());
    Put(retry, "retry_on", TextTree(absl::StrJoin(conditions, ",")));
    Put(retry, "num_retries", NumberTree(Retries()));
    if (policy_.attempt_timeout != absl::InfiniteDuration()) {
      Put(retry, "per_try_timeout",
          TextTree(WriteDuration(policy_.attempt_timeout)));
    }
    Tree& backoff = Put(retry, "retry_back_off", EmptyObject());
    Put(backoff, "base_interval",
        TextTree(WriteDuration(policy_.backoff.initial)));
    Put(backoff, "max_interval", TextTree(WriteDuration(policy_.backoff.max)));
    SayBackoff();
  }

  static std::vector<std::string> Nothing() { return {}; }

  std::vector<std::string> Conditions() const {
    std::vector<std::string> conditions;
    for (int i = 1; i <= 16; ++i) {
      const auto code = static_cast<absl::StatusCode>(i);
      const Answer answer = Ask(policy_, {}, code);
      if (!answer.retried) continue;
      const std::string name = forbear::WriteCode(code);
      if (answer.needs_delay || answer.needs_proof) {
        Lost(absl::StrCat(name, " is retried ", answer.Text(),
                          ": not retried there"));
      } else if (ConditionOf(code).empty()) {
        Lost(absl::StrCat(name,
                          " is no condition of retry_on: not retried "
                          "there"));
      } else {
        conditions.emplace_back(ConditionOf(code));
      }
    }
    return conditions;
  }

  int Retries() const {
    constexpr int kInsteadOfNoLimit = 4;
    if (policy_.max_attempts != MethodPolicy::kUnlimitedAttempts) {
      return policy_.max_attempts - 1;
    }
    Lost(absl::StrCat("attempts without limit become ", kInsteadOfNoLimit,
                      " retries"));
    return kInsteadOfNoLimit;
  }

  void SayBackoff() const {
    if (policy_.backoff.jitter != forbear::Jitter::kFull) {
      Lost(absl::StrCat("waits with ",
                        forbear::JitterName(policy_.backoff.jitter),
                        " jitter become full jitter"));
    }
    if (policy_.backoff.multiplier != 2) {
      Lost(absl::StrCat("backoff.multiplier ",
                        WriteNumber(policy_.backoff.multiplier), " becomes 2"));
    }
  }

  void SayWhatHasNoField() const {
    static constexpr absl::string_view kThere[] = {
        "mode",
        "max_attempts",
        "attempts_until_deadline",
        "call_timeout",
        "backoff.",
        "attempt_timeout",
        "retryable_codes",
        "classes.",
        "repeatable",
    };
    for (const forbear::FieldValue& field :
         Differences(forbear::ListFields(policy_),
                     forbear::ListFields(MethodPolicy{}))) {
      const bool there = std::any_of(
          std::begin(kThere), std::end(kThere), [&](absl::string_view begin) {
            return absl::StartsWith(field.name, begin);
          });
      if (there &&
          (field.name != "mode" || policy_.mode != forbear::Mode::kObserve)) {
        continue;
      }
      Lost(absl::StrCat(field.name, " ", field.value.Show(),
                        " has no field there: left out"));
    }
  }

  const std::string whose_;
  const std::string name_;
  const MethodPolicy& policy_;
  std::vector<std::string>* const lost_;
};

void PutBudget(Tree& file, const forbear::RetryBudgetOptions& budget,
               std::vector<std::string>* lost) {
  if (budget.rule == forbear::RetryBudgetOptions::Rule::kThrottle) {
    lost->push_back("target_budget: throttle has no field there: left out");
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
      "target_budget: there ", WriteNumber(percent),
      " % is of the requests under way, not of the calls made, and ", least,
      " retries may be under way always; burst_window and floor have no field "
      "there"));
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
    Put(routes, Route(name, *policy.methods.Find(name), lost).Made(cluster));
  }
  Put(file, "routes", std::move(routes));
  PutBudget(file, policy.target_budget, lost);
  for (const auto& target : policy.targets) {
    lost->push_back(absl::StrCat("targets[", target.first,
                                 "]: a cluster has one budget: left out"));
  }
  lost->push_back("process_budget: has no field there: left out");
  return WriteJson(file);
}

}  // namespace policy_tool
