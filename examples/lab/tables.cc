#include "examples/lab/tables.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "examples/lab/thousands.h"
#include "examples/lab/timers.h"
#include "interceptors/policy/verdict.h"

namespace lab {
namespace {

std::string Ms(absl::Duration duration) {
  return Thousands(absl::ToInt64Milliseconds(duration));
}

std::string List(const std::vector<absl::Duration>& durations) {
  if (durations.empty()) return "-";
  return absl::StrJoin(durations, "  ",
                       [](std::string* out, absl::Duration each) {
                         absl::StrAppend(out, Ms(each));
                       });
}

void AddHerd(const Report& report, std::string* text) {
  const HerdPlan& plan = report.plan;
  absl::StrAppendFormat(
      text,
      "1. The herd: %s clients call at t = 0; the server accepts %s calls of "
      "each\n%s ms and refuses the rest at once. Waits from %s ms, x2, up to "
      "%s ms.\n\n",
      Thousands(plan.clients), Thousands(plan.accept), Ms(plan.window),
      Ms(plan.base), Ms(plan.cap));
  constexpr char kRow[] = "%-16s%10s%10s%10s%14s\n";
  absl::StrAppendFormat(text, kRow, absl::StrCat("seed ", plan.seed), "calls",
                        "refused", "busiest*", "finished, ms");
  for (const Report::Rule& rule : report.herd) {
    absl::StrAppendFormat(
        text, kRow, forbear::JitterName(rule.jitter),
        Thousands(rule.figures.calls), Thousands(rule.figures.refused),
        Thousands(rule.figures.busiest), Ms(rule.figures.finished));
  }
  absl::StrAppendFormat(text, "mean of seeds 1 to %d\n", plan.runs);
  for (const Report::Rule& rule : report.herd) {
    absl::StrAppendFormat(
        text, kRow, forbear::JitterName(rule.jitter),
        Tenths(rule.means.calls_tenths), Tenths(rule.means.refused_tenths),
        Tenths(rule.means.busiest_tenths), Ms(rule.means.finished));
  }
  absl::StrAppend(text, "* calls in the busiest window after the first\n\n");
}

void AddLayers(const Report& report, std::string* text) {
  absl::StrAppend(text,
                  "2. Layers: attempts that reach a dead dependency for one "
                  "request, and with the\nsignal by which a layer that gave up "
                  "tells the one above not to retry.\n\n");
  constexpr char kRow[] = "%-30s%10s%14s\n";
  absl::StrAppendFormat(text, kRow, "", "attempts", "with signal");
  for (const Report::Layers& each : report.layers) {
    const Stack& stack = each.stack;
    const std::string name = absl::StrFormat(
        "%d layer%s %s", stack.layers, stack.layers == 1 ? "" : "s",
        stack.retries == 0 ? "without retries"
                           : absl::StrFormat("of %d retries", stack.retries));
    absl::StrAppendFormat(text, kRow, name, Thousands(each.attempts),
                          Thousands(each.with_signal));
  }
}

void AddBudget(const Report& report, std::string* text) {
  absl::StrAppendFormat(
      text,
      "\n%s requests to it, each with up to %d retries. The bucket starts full "
      "at 10,\nholds 10, earns 0.1 a request, has no floor.\n\n",
      Thousands(kRequests), kRetries);
  constexpr char kRow[] = "%-18s%10s%18s%18s\n";
  absl::StrAppendFormat(text, kRow, "", "attempts", "retries allowed",
                        "requests refused");
  const auto add = [&](absl::string_view name, const BudgetFigures& figures) {
    absl::StrAppendFormat(text, kRow, name, Thousands(figures.attempts),
                          Thousands(figures.allowed),
                          Thousands(figures.refused));
  };
  add("without a budget", report.without_budget);
  add("with the bucket", report.with_budget);
}

void AddDeadline(const Report& report, std::string* text) {
  absl::StrAppend(text,
                  "\n3. A deadline of 2,000 ms: attempt timeout 800 ms, up to "
                  "4 retries, full jitter\nfrom 100 to 1,000 ms, seed 7. All "
                  "in ms.\n\n");
  for (const Report::Deadline& each : report.deadline) {
    const forbear::CallTrace& trace = each.trace;
    absl::StrAppendFormat(
        text,
        "(%s) %s\n    attempts at %s\n    timeouts    %s\n    waits       %s\n"
        "    ends at     %s: %s\n",
        each.deadline_case->name, each.deadline_case->callee,
        List(trace.attempts), List(trace.times), List(trace.waits),
        Ms(trace.elapsed), forbear::VerdictPhrase(trace.verdict));
  }
}

void AddPayment(const Report& report, std::string* text) {
  absl::StrAppend(text,
                  "\n4. A payment: charged on arrival; replies after 900 ms, "
                  "then 100 ms; attempt\ntimeout 500 ms, one retry.\n\n");
  constexpr char kRow[] = "%-34s%10s%10s   %s\n";
  absl::StrAppendFormat(text, kRow, "", "attempts", "charged", "ends");
  const auto add = [&](absl::string_view name, const PaymentFigures& figures) {
    absl::StrAppendFormat(
        text, kRow, name, Thousands(figures.attempts),
        Thousands(figures.charged),
        absl::StrCat(forbear::VerdictPhrase(figures.verdict),
                     figures.outcome_unknown ? ", outcome unknown" : ""));
  };
  add("without a key, \"repeatable\"", report.without_key);
  add("with an idempotency key", report.with_key);
  add("without either, as by default", report.unsaid);
}

void AddTimers(const Report& report, std::string* text) {
  absl::StrAppend(text, "\n5. Timers: the busiest 100 ms.\n\n");
  constexpr char kRow[] = "%-56s%10s%10s\n";
  absl::StrAppendFormat(text, kRow, "", "together", "spread");
  const auto add = [&](absl::string_view name, const Report::Timers& timers) {
    absl::StrAppendFormat(text, kRow, name, Thousands(timers.together),
                          Thousands(timers.spread));
  };
  add(absl::StrFormat("a job every %s in %s processes, JitteredPeriod",
                      absl::FormatDuration(kPeriod), Thousands(kProcesses)),
      report.periodic);
  add(absl::StrFormat("a sweep of %s orders, SpreadBatches (%d, %s)",
                      Thousands(kOrders), kBatch, absl::FormatDuration(kSweep)),
      report.sweep);
}

}  // namespace

std::string Tables(const Report& report) {
  std::string text;
  AddHerd(report, &text);
  AddLayers(report, &text);
  AddBudget(report, &text);
  AddDeadline(report, &text);
  AddPayment(report, &text);
  AddTimers(report, &text);
  return text;
}

}  // namespace lab
