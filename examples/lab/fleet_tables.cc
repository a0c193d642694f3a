#include "examples/lab/fleet_tables.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "examples/lab/thousands.h"

namespace lab {
namespace {

std::string Seconds(const Recovery& recovered, absl::Duration watched) {
  return absl::StrFormat("%s%.0f", recovered.has_value() ? "" : "> ",
                         absl::ToDoubleSeconds(recovered.value_or(watched)));
}

std::string Percent(double share) {
  return absl::StrFormat("%.1f %%", 100 * share);
}

std::string Whole(double number) { return Thousands(std::llround(number)); }

void AddSetUp(const FleetPlan& plan, std::string* text) {
  absl::StrAppendFormat(
      text,
      "\n6. A fleet: %s processes, each with a budget of its own, make %s "
      "calls "
      "a\nsecond. The service does %s, and queues %s of work. It is well for "
      "%s,\nstands still for %s, and is watched for %s more. A call has %s, an "
      "attempt\n%s; up to %d attempts.\n",
      Whole(plan.processes), Whole(plan.processes * plan.calls_per_second),
      Whole(plan.Capacity()), absl::FormatDuration(plan.queue),
      absl::FormatDuration(plan.healthy), absl::FormatDuration(plan.outage),
      absl::FormatDuration(plan.after), absl::FormatDuration(plan.call_timeout),
      absl::FormatDuration(plan.attempt_timeout), plan.max_attempts);
}

void AddRows(const FleetReport& report, std::string* text) {
  constexpr char kRow[] = "%-33s%9s%12s%14s%12s\n";
  FleetOrder order = FleetOrder::kNewest;
  for (const FleetRow& row : report.rows) {
    if (row.order != order) {
      absl::StrAppendFormat(text, "\n%-33s%9s%12s%14s%12s\n",
                            OrderName(row.order), "peak (1)", "goodput (2)",
                            "recovered, s", "nobody (3)");
    }
    order = row.order;
    absl::StrAppendFormat(text, kRow, row.rule.name,
                          absl::StrFormat("%.2f", row.figures.peak),
                          Percent(row.figures.good_share),
                          Seconds(row.figures.recovered, report.plan.after),
                          Percent(row.figures.wasted_share));
  }
  absl::StrAppend(
      text,
      "(1) The attempts of the busiest 100 ms, over the capacity.\n"
      "(2) Of the calls made after the outage, those that succeeded.\n"
      "(3) Of the work done after the outage, that whose caller had left.\n");
}

// The mean of each ten seconds, over the capacity.
void AddCourse(const FleetReport& report, absl::string_view title,
               int64_t FleetSecond::*count, std::string* text) {
  absl::StrAppendFormat(
      text,
      "\n%s over the capacity, each 10 s; oldest first; +e: expired,\n+d: "
      "doomed work is dropped\n",
      title);
  for (const FleetRow& row : report.rows) {
    if (row.order != FleetOrder::kOldest) continue;
    absl::StrAppendFormat(text, "%-10s", row.rule.short_name);
    const std::vector<FleetSecond>& seconds = row.figures.seconds;
    for (size_t i = 0; i + 10 <= seconds.size(); i += 10) {
      double sum = 0;
      for (size_t j = i; j < i + 10; ++j) {
        sum += static_cast<double>(seconds[j].*count);
      }
      absl::StrAppendFormat(text, "%4.1f", sum / (10 * report.plan.Capacity()));
    }
    absl::StrAppend(text, "\n");
  }
}

void AddCost(const FleetCost& cost, std::string* text) {
  const double seconds = absl::ToDoubleSeconds(cost.time);
  absl::StrAppendFormat(
      text, "\nThat were %s events in %.1f s: %.1f million a second; %s MB.\n",
      Whole(static_cast<double>(cost.events)), seconds,
      static_cast<double>(cost.events) / seconds / 1e6,
      Whole(static_cast<double>(cost.memory_bytes) / 1e6));
}

void AddWhen(const FleetStudies& studies, std::string* text) {
  absl::StrAppend(text,
                  "\nWhen does an outage outlive its cause? Seconds to "
                  "recover; 1,000 calls a second,\noldest first; +e: expired, "
                  "+d: doomed work is dropped.\n\n  load outage");
  for (const FleetRule& rule : kFleetRules) {
    absl::StrAppendFormat(text, "%8s", rule.short_name);
  }
  absl::StrAppend(text, "\n");
  for (const FleetStudy& study : studies.when) {
    absl::StrAppendFormat(text, "%6.1f%7s", study.load,
                          absl::FormatDuration(study.outage));
    for (const Recovery& recovered : study.recovered) {
      absl::StrAppendFormat(text, "%8s", Seconds(recovered, study.watched));
    }
    absl::StrAppend(text, "\n");
  }
}

void AddEnds(const FleetStudies& studies, std::string* text) {
  absl::StrAppend(text,
                  "\nWhat ends it? The naive fleet of 1,000, 60 s after the "
                  "outage:\n\n");
  constexpr char kRow[] = "%-46s%14s\n";
  absl::StrAppendFormat(text, kRow, "", "recovered, s");
  for (const FleetRemedy& each : studies.ends) {
    absl::StrAppendFormat(text, kRow, RemedyName(each.remedy),
                          Seconds(each.recovered, each.watched));
  }
}

void AddBudgets(const FleetStudies& studies, std::string* text) {
  absl::StrAppend(text,
                  "\nWhat is a budget worth to quiet processes? Jitter and "
                  "budget, oldest first.\n\n");
  constexpr char kRow[] = "%18s%11s%16s%7s%10s%14s\n";
  absl::StrAppendFormat(text, kRow, "calls a second by", "processes",
                        "budget: ceiling", "floor", "peak (1)", "recovered, s");
  for (const FleetQuiet& each : studies.by_budget) {
    absl::StrAppendFormat(
        text, kRow, absl::StrFormat("%.1f", each.calls_per_second),
        Whole(each.processes), absl::StrFormat("%.0f", each.budget.ceiling),
        absl::StrFormat("%.2f", each.budget.floor),
        absl::StrFormat("%.2f", each.peak),
        Seconds(each.recovered, each.watched));
  }
}

}  // namespace

absl::string_view RemedyName(Remedy remedy) {
  switch (remedy) {
    case Remedy::kNothing:
      return "nothing is done";
    case Remedy::kHalfTheLoad:
      return "half of the callers go away";
    case Remedy::kAFifthOfTheLoad:
      return "four in five callers go away";
    case Remedy::kNoRetries:
      return "retries are turned off";
    case Remedy::kBudget:
      return "budgets are turned on";
    case Remedy::kEmptyQueue:
      return "the service is restarted, its queue empty";
    case Remedy::kNewestFirst:
      return "the queue serves the newest first";
    case Remedy::kDropExpired:
      return "expired work is dropped";
    case Remedy::kDropDoomed:
      return "doomed work is dropped";
  }
  return "";
}

absl::string_view OrderName(FleetOrder order) {
  return order == FleetOrder::kOldest ? "oldest first" : "newest first";
}

std::string FleetTables(const FleetReport& report) {
  std::string text;
  AddSetUp(report.plan, &text);
  AddRows(report, &text);
  AddCourse(report, "Attempts", &FleetSecond::offered, &text);
  AddCourse(report, "Good answers", &FleetSecond::good, &text);
  AddCost(report.cost, &text);
  AddWhen(report.studies, &text);
  AddEnds(report.studies, &text);
  AddBudgets(report.studies, &text);
  return text;
}

}  // namespace lab
