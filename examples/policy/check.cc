#include "examples/policy/check.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "examples/policy/answers.h"
#include "examples/policy/schedule.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy_file/tree_values.h"

namespace policy_tool {
namespace {

using forbear::MethodPolicy;
using forbear::Repeatable;
using forbear::StatusClass;
using forbear::WriteDuration;

class Checker {
 public:
  Checker(const std::string& whose, const MethodPolicy& policy,
          std::vector<std::string>& warnings)
      : whose_(whose.empty() ? "everything else" : whose),
        policy_(policy),
        warnings_(warnings) {}

  void Jitter() const {
    if (policy_.backoff.jitter != forbear::Jitter::kNone) return;
    Warn("no jitter: callers that fail together come back together; take FULL");
  }

  void Fit() const {
    if (policy_.max_attempts == MethodPolicy::kUnlimitedAttempts) {
      if (policy_.max_deadline == absl::InfiniteDuration() &&
          policy_.default_deadline == absl::InfiniteDuration()) {
        Warn(
            "no limit on attempts and none on time: a call without a deadline "
            "goes on while the budget lasts; set defaultDeadline or "
            "maxDeadline");
      }
      return;
    }
    const Schedule schedule = ScheduleOf(policy_);
    if (schedule.fitting_attempts >= policy_.max_attempts) return;
    const std::string takes =
        policy_.attempt_timeout == absl::InfiniteDuration()
            ? "even if each attempt fails at once, "
            : absl::StrCat("if each attempt takes its ",
                           WriteDuration(policy_.attempt_timeout), ", ");
    Warn(absl::StrCat(
        takes, schedule.fitting_attempts, " of ", policy_.max_attempts,
        " fit in ", WriteDuration(schedule.time), ": the rest is never sent"));
  }

  void Latency() const {
    if (policy_.attempt_timeout < policy_.p99) {
      Warn(absl::StrCat(
          "an attempt timeout of ", WriteDuration(policy_.attempt_timeout),
          " is under the published p99 of ", WriteDuration(policy_.p99),
          ": calls that would succeed are cut off and sent "
          "again"));
    }
    Deadline("default", policy_.default_deadline);
    Deadline("maximum", policy_.max_deadline);
    if (policy_.default_deadline != absl::InfiniteDuration() &&
        policy_.default_deadline > policy_.max_deadline) {
      Warn(absl::StrCat(
          "a default deadline of ", WriteDuration(policy_.default_deadline),
          " is over the maximum of ", WriteDuration(policy_.max_deadline),
          ": the maximum holds"));
    }
  }

  // `described`: its .proto is known.
  void Repeats(forbear::CallFacts facts, bool described) const {
    std::vector<std::string> listed, held_back;
    for (int i = 1; i <= 16; ++i) {
      const auto code = static_cast<absl::StatusCode>(i);
      const Answer answer = Ask(policy_, facts, code);
      if (policy_.classes.Of(code) == StatusClass::kListed && answer.retried) {
        listed.push_back(forbear::WriteCode(code));
      } else if (answer.needs_proof) {
        held_back.push_back(forbear::WriteCode(code));
      }
    }
    const bool repeatable = policy_.repeatable == Repeatable::kYes ||
                            facts.declared == Repeatable::kYes ||
                            policy_.server_honours_keys;
    if (!listed.empty() && policy_.repeatable == Repeatable::kNo) {
      Warn(absl::StrCat("is not repeatable, and lists ",
                        absl::StrJoin(listed, ", "),
                        ": a listed code is retried all the same"));
    } else if (!listed.empty() && described && !repeatable) {
      Warn(absl::StrCat("lists ", absl::StrJoin(listed, ", "),
                        ", and its .proto does not say that it is "
                        "idempotent: it may be done twice"));
    }
    if (!held_back.empty()) {
      Warn(absl::StrCat("retries on ", absl::StrJoin(held_back, ", "),
                        " wait for a proof that nothing was applied: nothing "
                        "says that it is repeatable"));
    }
  }

 private:
  void Deadline(absl::string_view which, absl::Duration deadline) const {
    if (deadline >= policy_.p99) return;
    Warn(absl::StrCat("a ", which, " deadline of ", WriteDuration(deadline),
                      " is under the published p99 of ",
                      WriteDuration(policy_.p99)));
  }

  void Warn(absl::string_view what) const {
    warnings_.push_back(absl::StrCat(whose_, ": ", what));
  }

  const std::string whose_;
  const MethodPolicy& policy_;
  std::vector<std::string>& warnings_;
};

// The descriptor's method that an entry is for; a service's entry has many.
std::vector<std::string> MethodsOf(const std::string& name,
                                   const forbear::PolicyTable& table,
                                   const Declarations& declared) {
  if (name.find('/') != std::string::npos) return {name};
  std::vector<std::string> methods;
  for (const auto& method : declared) {
    if (&table.For(method.first) == table.Find(name)) {
      methods.push_back(method.first);
    }
  }
  return methods;
}

}  // namespace

std::vector<std::string> Foolish(const forbear::Policy& policy,
                                 const Declarations& declared) {
  std::vector<std::string> warnings;
  const forbear::PolicyTable& table = policy.client.methods;
  std::vector<std::string> names = table.names();
  names.insert(names.begin(), "");
  for (const std::string& name : names) {
    const MethodPolicy& found = *table.Find(name);
    if (found.mode == forbear::Mode::kOff) continue;
    const Checker checker(name, found, warnings);
    checker.Latency();
    if (found.max_attempts == 1 && !found.hedging.enabled()) continue;
    checker.Jitter();
    checker.Fit();
    const auto methods = MethodsOf(name, table, declared);
    for (const std::string& method : methods) {
      Checker(method, found, warnings)
          .Repeats(FactsOf(declared, method), declared.count(method) != 0);
    }
    if (methods.empty() && !name.empty()) checker.Repeats({}, false);
  }
  return warnings;
}

}  // namespace policy_tool
