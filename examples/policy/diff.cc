#include "examples/policy/diff.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "examples/policy/answers.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy_file/field_list.h"
#include "interceptors/policy_file/json_writer.h"
#include "interceptors/policy_file/tree_values.h"
#include "interceptors/server/server_options.h"

namespace policy_tool {
namespace {

using forbear::FieldValue;
using forbear::MethodPolicy;
using forbear::PolicyTable;

std::string ValueOf(const std::vector<FieldValue>& fields,
                    const std::string& name) {
  for (const FieldValue& field : fields) {
    if (field.name != name) continue;
    if (field.value.kind == forbear::Tree::Kind::kText) return field.value.text;
    std::string text = forbear::WriteJson(field.value);
    text.pop_back();  // Its newline.
    return text;
  }
  return "not set";
}

std::string Attempts(const MethodPolicy& policy) {
  return policy.max_attempts == MethodPolicy::kUnlimitedAttempts
             ? "without limit but the time"
             : absl::StrCat(policy.max_attempts);
}

bool IsAboutAttempts(const std::string& name) {
  return name == "max_attempts" || name == "attempts_until_deadline";
}

bool IsAboutCodes(const std::string& name) {
  return name == "retryable_codes" || absl::StartsWith(name, "classes.");
}

// Fields that differ, but for codes and attempts, which are told in words.
template <typename Options>
void FieldChanges(const std::string& whose, const Options& before,
                  const Options& after, std::vector<std::string>& lines) {
  const auto old_fields = forbear::ListFields(before);
  const auto new_fields = forbear::ListFields(after);
  std::vector<std::string> names;
  for (const auto& [one, other] :
       {std::pair(old_fields, new_fields), std::pair(new_fields, old_fields)}) {
    for (const FieldValue& field : forbear::Differences(one, other)) {
      if (IsAboutCodes(field.name) || IsAboutAttempts(field.name)) continue;
      if (std::count(names.begin(), names.end(), field.name) == 0) {
        names.push_back(field.name);
      }
    }
  }
  for (const std::string& name : names) {
    lines.push_back(absl::StrCat(whose, ": ", name, " is ",
                                 ValueOf(new_fields, name), ", was ",
                                 ValueOf(old_fields, name)));
  }
}

void AnswerChange(const std::string& whose, absl::string_view what,
                  const Answer& before, const Answer& after,
                  std::vector<std::string>& lines) {
  if (before.Rank() == after.Rank()) return;
  lines.push_back(absl::StrCat(
      whose, ": ", what, " retried: ", after.Text(), "; was: ", before.Text(),
      after.Rank() < before.Rank() ? " (BREAKING for clients)" : ""));
}

void MethodChanges(const std::string& method, const MethodPolicy& before,
                   const MethodPolicy& after, const Declarations& declared,
                   std::vector<std::string>& lines) {
  const std::string whose = method.empty() ? "everything else" : method;
  const forbear::CallFacts facts = FactsOf(declared, method);
  for (int i = 1; i <= 16; ++i) {
    const auto code = static_cast<absl::StatusCode>(i);
    AnswerChange(whose, forbear::WriteCode(code), Ask(before, facts, code),
                 Ask(after, facts, code), lines);
  }
  if (before.attempt_timeout != absl::InfiniteDuration() &&
      after.attempt_timeout != absl::InfiniteDuration()) {
    AnswerChange(whose, "an attempt's timeout", AskTimeout(before, facts),
                 AskTimeout(after, facts), lines);
  }
  if (before.max_attempts != after.max_attempts) {
    lines.push_back(absl::StrCat(whose, ": attempts are ", Attempts(after),
                                 ", were ", Attempts(before)));
  }
  FieldChanges(whose, before, after, lines);
}

// A name's own policy, or the one that stands for it.
const MethodPolicy& PolicyOf(const PolicyTable& table,
                             const std::string& name) {
  if (const MethodPolicy* const exact = table.Find(name)) return *exact;
  return table.For(name);
}

forbear::ServerMethodOptions LimitsOf(const forbear::ServerOptions& server,
                                      const std::string& method) {
  const auto found = server.methods.find(method);
  return found == server.methods.end() ? forbear::ServerMethodOptions()
                                       : found->second;
}

}  // namespace

std::vector<std::string> Diff(const forbear::Policy& before,
                              const forbear::Policy& after,
                              const Declarations& declared) {
  std::vector<std::string> lines;
  std::set<std::string> methods = {""};
  for (const auto& method : declared) methods.insert(method.first);
  for (const forbear::Policy* policy : {&before, &after}) {
    for (const auto& name : policy->client.methods.names()) {
      methods.insert(name);
    }
  }
  for (const std::string& method : methods) {
    MethodChanges(method, PolicyOf(before.client.methods, method),
                  PolicyOf(after.client.methods, method), declared, lines);
  }
  FieldChanges("target_budget", before.client.target_budget,
               after.client.target_budget, lines);
  std::set<std::string> targets;
  for (const auto& target : before.client.targets) targets.insert(target.first);
  for (const auto& target : after.client.targets) targets.insert(target.first);
  for (const std::string& target : targets) {
    FieldChanges(absl::StrCat("targets[", target, "]"),
                 before.client.BudgetOf(target), after.client.BudgetOf(target),
                 lines);
  }
  FieldChanges("process_budget", before.client.process_budget,
               after.client.process_budget, lines);
  FieldChanges("server", before.server, after.server, lines);
  std::set<std::string> limited;
  for (const auto& method : before.server.methods) limited.insert(method.first);
  for (const auto& method : after.server.methods) limited.insert(method.first);
  for (const std::string& method : limited) {
    FieldChanges(absl::StrCat("server, ", method),
                 LimitsOf(before.server, method),
                 LimitsOf(after.server, method), lines);
  }
  return lines;
}

}  // namespace policy_tool
