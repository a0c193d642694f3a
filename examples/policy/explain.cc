#include "examples/policy/explain.h"

#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "examples/policy/answers.h"
#include "examples/policy/schedule.h"
#include "interceptors/policy/client_policy.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/policy_table.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy_file/tree_values.h"

namespace policy_tool {
namespace {

using forbear::MethodPolicy;
using forbear::WriteDuration;
using forbear::WriteNumber;

std::string Time(absl::Duration time) {
  return WriteDuration(absl::Trunc(time, absl::Microseconds(1)));
}

std::string Row(absl::string_view what, const Answer& answer,
                const std::string& why) {
  return absl::StrCat("| ", what, " | ", answer.Text(), " | ", why, " |\n");
}

// A row for each answer, with all the codes that have it.
std::string CodeTable(const MethodPolicy& policy, forbear::CallFacts facts) {
  std::vector<std::pair<std::string, std::string>> rows;  // Rest, and codes.
  for (int i = 1; i <= 16; ++i) {
    const auto code = static_cast<absl::StatusCode>(i);
    const Answer answer = Ask(policy, facts, code);
    const std::string rest =
        absl::StrCat(answer.Text(), " | ",
                     Why(answer, policy, facts, policy.classes.Of(code)));
    auto row = rows.begin();
    while (row != rows.end() && row->first != rest) ++row;
    if (row == rows.end()) row = rows.insert(row, {rest, ""});
    absl::StrAppend(&row->second, row->second.empty() ? "" : ", ",
                    forbear::WriteCode(code));
  }
  std::string table = "| status | retried | why |\n|---|---|---|\n";
  for (const auto& [rest, codes] : rows) {
    absl::StrAppend(&table, "| ", codes, " | ", rest, " |\n");
  }
  if (policy.attempt_timeout != absl::InfiniteDuration()) {
    const Answer answer = AskTimeout(policy, facts);
    const auto of = policy.classes.Of(absl::StatusCode::kDeadlineExceeded);
    absl::StrAppend(&table,
                    Row(absl::StrCat("an attempt's own ",
                                     Time(policy.attempt_timeout), " are over"),
                        answer,
                        Why(answer, policy, facts,
                            of == forbear::StatusClass::kListed
                                ? of
                                : forbear::StatusClass::kUnknownOutcome)));
  }
  return table;
}

bool Hedges(const MethodPolicy& policy, forbear::CallFacts facts) {
  return policy.hedging.enabled() && !policy.defer &&
         policy.repeatable != forbear::Repeatable::kNo &&
         (policy.hedging.assume_read || facts.reads);
}

std::string HedgeSchedule(const forbear::HedgingOptions& hedging) {
  const std::string delay =
      hedging.percentile > 0
          ? absl::StrCat("what ", WriteNumber(100 * hedging.percentile),
                         " % of calls take, at least ", Time(hedging.delay))
          : Time(hedging.delay);
  return absl::StrCat("Up to ", hedging.max_attempts,
                      " attempts; the next goes out when the last has not "
                      "answered after ",
                      delay, ", or has failed. Hedges are at most ",
                      WriteNumber(100 * hedging.cap), " % of calls.\n");
}

std::string AttemptSchedule(const MethodPolicy& policy) {
  if (policy.max_attempts == 1) return "One attempt.\n";
  std::string table =
      "| attempt | starts after the last has failed |\n|---|---|\n| 1 | at "
      "once |\n";
  int attempt = 2;
  for (const Wait& wait : ScheduleOf(policy).waits) {
    absl::StrAppend(&table, "| ", attempt++, " | ", Time(wait.least),
                    wait.least == wait.most ? "" : " to ",
                    wait.least == wait.most ? "" : Time(wait.most), " |\n");
  }
  if (policy.max_attempts == MethodPolicy::kUnlimitedAttempts) {
    absl::StrAppend(&table, "| ... | until the deadline |\n");
  } else if (attempt <= policy.max_attempts) {
    absl::StrAppend(&table, "| ... ", policy.max_attempts, " | and so on |\n");
  }
  return table;
}

std::string Longest(const MethodPolicy& policy) {
  const absl::Duration longest = ScheduleOf(policy).longest;
  const absl::Duration by_default =
      std::min(policy.default_deadline, policy.max_deadline);
  std::string text = by_default == policy.max_deadline
                         ? ""
                         : absl::StrCat("A call without a deadline gets ",
                                        Time(by_default), ".\n\n");
  absl::StrAppend(&text, "The longest a call can take: ");
  if (longest == absl::InfiniteDuration()) {
    return text + "its caller's deadline; the policy sets no limit.\n";
  }
  absl::StrAppend(&text, Time(longest),
                  ", or its caller's deadline if that "
                  "is earlier");
  const bool bounded = longest == policy.max_deadline;
  return absl::StrCat(
      text, bounded ? "" : "; a server's delay, and connecting, come on top",
      ".\n");
}

// What a budget holds all calls to together.
std::string Bounds(const forbear::RetryBudgetOptions& budget) {
  if (budget.rule == forbear::RetryBudgetOptions::Rule::kThrottle) {
    return absl::StrCat("none while ", WriteNumber(budget.max_tokens / 2),
                        " of ", WriteNumber(budget.max_tokens),
                        " tokens or fewer are left: a failure takes 1, a "
                        "success gives ",
                        WriteNumber(budget.token_ratio));
  }
  return absl::StrCat(WriteNumber(100 * budget.ratio), " % of calls, and ",
                      WriteNumber(budget.ceiling), " at once, and ",
                      WriteNumber(budget.floor), " a second");
}

std::string Load(const MethodPolicy& policy,
                 const forbear::ClientPolicy& client, bool hedges) {
  const int attempts =
      hedges ? policy.hedging.max_attempts : policy.max_attempts;
  if (attempts == 1) return "The most load it can add: none.\n";
  return absl::StrCat(
      "The most load it can add: ",
      attempts == MethodPolicy::kUnlimitedAttempts
          ? "of one call, as many attempts as there is time for"
          : absl::StrCat(attempts - 1, " more attempts of a call"),
      ". Of all calls of a process to a target: ", Bounds(client.target_budget),
      ". To all its targets together: ", Bounds(client.process_budget), ".\n");
}

std::string Heading(const std::string& method, const Declarations& declared) {
  if (method.empty()) return "## Everything else\n";
  const auto found = declared.find(method);
  return absl::StrCat("## ", method,
                      found == declared.end()
                          ? ""
                          : absl::StrCat(" (", found->second.level, ")"),
                      "\n");
}

// Where a method has no entry of its own.
std::string Entry(const std::string& method,
                  const forbear::PolicyTable& table) {
  if (table.Find(method) != nullptr) return "";
  const std::string service = method.substr(0, method.find('/'));
  return absl::StrCat("\nBy the policy of ",
                      table.Find(service) != nullptr
                          ? service
                          : "everything that the file does not name",
                      ".\n");
}

}  // namespace

std::vector<std::string> MethodsToExplain(const forbear::Policy& policy,
                                          const Declarations& declared) {
  std::vector<std::string> methods;
  for (const auto& method : declared) methods.push_back(method.first);
  if (!methods.empty()) return methods;
  methods = policy.client.methods.names();
  methods.push_back("");
  return methods;
}

std::string Explain(const std::string& method, const forbear::Policy& policy,
                    const Declarations& declared) {
  const forbear::PolicyTable& table = policy.client.methods;
  const MethodPolicy* const exact = table.Find(method);
  const MethodPolicy& found = exact != nullptr ? *exact : table.For(method);
  const forbear::CallFacts facts = FactsOf(declared, method);
  const bool hedges = Hedges(found, facts);
  std::string text = Heading(method, declared);
  absl::StrAppend(&text, Entry(method, table));
  if (found.mode == forbear::Mode::kObserve) {
    absl::StrAppend(&text, "\nThis is only counted, not done (OBSERVE).\n");
  }
  if (found.p99 > absl::ZeroDuration()) {
    absl::StrAppend(&text, "\nThe server publishes a p99 of ", Time(found.p99),
                    ".\n");
  }
  absl::StrAppend(
      &text, "\n", CodeTable(found, facts), "\n",
      hedges ? HedgeSchedule(found.hedging) : AttemptSchedule(found), "\n",
      Longest(found), "\n", Load(found, policy.client, hedges));
  return text;
}

}  // namespace policy_tool
