#include "examples/lab/call_sections.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "examples/lab/timers.h"
#include "examples/page/bars.h"
#include "examples/page/look.h"
#include "examples/page/table.h"
#include "examples/page/text.h"
#include "examples/page/time_line.h"
#include "interceptors/policy/verdict.h"

namespace lab {
namespace {

using page::Number;
using page::Stretch;

std::string Ms(absl::Duration duration) {
  return Number(absl::ToDoubleMilliseconds(duration));
}

std::string List(const std::vector<absl::Duration>& durations) {
  if (durations.empty()) return "–";
  return absl::StrJoin(durations, ", ",
                       [](std::string* out, absl::Duration each) {
                         absl::StrAppend(out, absl::ToInt64Milliseconds(each));
                       });
}

page::TimeLine Drawn(const Report::Deadline& each) {
  const forbear::CallTrace& trace = each.trace;
  page::Lane attempts{"attempts", {}};
  page::Lane waits{"waits", {}};
  for (size_t i = 0; i < trace.attempts.size(); ++i) {
    const bool last = i + 1 == trace.attempts.size();
    absl::Duration end = trace.elapsed;
    if (!last && i < trace.waits.size()) {
      end = trace.attempts[i + 1] - trace.waits[i];
      waits.stretches.push_back(
          {absl::ToDoubleMilliseconds(end),
           absl::ToDoubleMilliseconds(trace.attempts[i + 1]),
           Stretch::Kind::kWait, absl::StrCat(Ms(trace.waits[i]), " ms")});
    }
    const bool good = last && trace.verdict == forbear::Verdict::kSucceeded;
    attempts.stretches.push_back(
        {absl::ToDoubleMilliseconds(trace.attempts[i]),
         absl::ToDoubleMilliseconds(end),
         good ? Stretch::Kind::kDone : Stretch::Kind::kFailed,
         absl::StrCat("attempt ", i + 1)});
  }
  page::TimeLine line;
  line.title =
      absl::StrFormat("Case %s: the callee %s", each.deadline_case->name,
                      each.deadline_case->callee);
  line.description = absl::StrFormat("%d attempts; ends after %s ms: %s.",
                                     trace.attempts.size(), Ms(trace.elapsed),
                                     forbear::VerdictPhrase(trace.verdict));
  line.x = {"ms since the call began; the deadline is at 2,000", 0, 2'000};
  line.lanes = {attempts, waits};
  return line;
}

page::Figure PaymentFigure(const Report& report) {
  page::Table table{
      "a payment that times out", {"", "attempts", "charged", "ends"}, {}};
  page::Bars bars;
  bars.title = "How often the card was charged";
  bars.description = "The numbers are in the table below.";
  bars.unit = "times that the card was charged";
  const auto add = [&](const char* name, const std::string& path,
                       const PaymentFigures& figures) {
    const double charged = figures.charged;
    bars.groups.push_back({name, {charged}});
    table.rows.push_back(
        {name,
         {Number(figures.attempts), path + ".attempts"},
         {Number(charged), path + ".charged"},
         absl::StrCat(forbear::VerdictPhrase(figures.verdict),
                      figures.outcome_unknown ? ", outcome unknown" : "")});
  };
  add("without a key, said to be repeatable", "payment.without_key",
      report.without_key);
  add("with an idempotency key", "payment.with_key", report.with_key);
  add("without either, as by default", "payment.unsaid", report.unsaid);
  page::Figure figure;
  figure.title = "A timeout does not mean that nothing happened";
  figure.note =
      "Charged on arrival; the first reply takes 900 ms, the second 100 ms; "
      "an attempt has 500 ms, and one retry.";
  figure.drawings = {page::Svg(bars)};
  figure.numbers = table;
  return figure;
}

page::Figure TimersFigure(const Report& report) {
  page::Bars bars;
  bars.title = "The busiest 100 ms, together and spread";
  bars.description = "The numbers are in the table below.";
  bars.unit = "runs, or orders, in the busiest 100 ms";
  page::Figure figure;
  figure.title = "Herds that are no retries: the busiest 100 ms";
  figure.legend = page::Legend({"together", "spread"});
  figure.numbers = {"the busiest 100 ms", {"", "together", "spread"}, {}};
  const auto add = [&](const std::string& name, const std::string& path,
                       const Report::Timers& timers) {
    const double together = timers.together;
    const double spread = timers.spread;
    bars.groups.push_back({name, {together, spread}});
    figure.numbers.rows.push_back({name,
                                   {Number(together), path + ".together"},
                                   {Number(spread), path + ".spread"}});
  };
  add(absl::StrFormat("a job every %s in %s processes, JitteredPeriod",
                      absl::FormatDuration(kPeriod), Number(kProcesses)),
      "timers.periodic_busiest_100ms", report.periodic);
  add(absl::StrFormat("a sweep of %s orders, SpreadBatches (%d, %s)",
                      Number(kOrders), kBatch, absl::FormatDuration(kSweep)),
      "timers.sweep_busiest_100ms", report.sweep);
  figure.drawings = {page::Svg(bars)};
  return figure;
}

}  // namespace

page::Section DeadlineSection(const Report& report) {
  page::Figure figure;
  figure.title = "A call that has 2,000 ms";
  figure.note =
      "An attempt has 800 ms; up to 4 retries, full jitter from 100 to 1,000 "
      "ms, seed 7. An attempt gets no more time than is left, and what cannot "
      "succeed in time fails at once.";
  figure.legend = page::TimeLineLegend();
  figure.numbers = {
      "the deadline's cases, in ms",
      {"the callee", "attempts at", "timeouts", "waits", "ends at", "why"},
      {}};
  for (const Report::Deadline& each : report.deadline) {
    const forbear::CallTrace& trace = each.trace;
    const page::TimeLine line = Drawn(each);
    figure.names.push_back(
        absl::StrFormat("(%s) %s: ends at %s ms", each.deadline_case->name,
                        each.deadline_case->callee, Ms(trace.elapsed)));
    figure.drawings.push_back(page::Svg(line));
    const std::string path =
        absl::StrCat("deadline.", each.deadline_case->name, ".");
    figure.numbers.rows.push_back(
        {absl::StrFormat("(%s) %s", each.deadline_case->name,
                         each.deadline_case->callee),
         List(trace.attempts),
         List(trace.times),
         List(trace.waits),
         {Ms(trace.elapsed), path + "ended_ms"},
         std::string(forbear::VerdictPhrase(trace.verdict))});
  }
  return {"deadline", "3. A deadline", page::Html(figure)};
}

page::Section PaymentAndTimersSection(const Report& report) {
  return {"payment", "4 and 5. A payment, and timers",
          page::Beside(PaymentFigure(report), TimersFigure(report))};
}

}  // namespace lab
