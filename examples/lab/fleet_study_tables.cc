#include "examples/lab/fleet_study_tables.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/lab/fleet_plan.h"
#include "examples/lab/fleet_tables.h"
#include "examples/page/frame.h"
#include "examples/page/table.h"
#include "examples/page/text.h"

namespace lab {
namespace {

using page::Number;

page::Table When(const FleetStudies& studies) {
  page::Table table{
      "when an outage outlives its cause: seconds to recover; 1,000 calls a "
      "second, oldest first",
      {"load, outage"},
      {}};
  for (const FleetRule& rule : kFleetRules) table.head.push_back(rule.name);
  for (const FleetStudy& study : studies.when) {
    std::vector<page::Cell> cells = {absl::StrCat(
        Number(study.load, 1), ", ", absl::FormatDuration(study.outage))};
    for (size_t i = 0; i < study.recovered.size(); ++i) {
      cells.emplace_back(SecondsToRecover(study.recovered[i], study.watched));
    }
    table.rows.push_back(cells);
  }
  return table;
}

page::Table Ends(const FleetStudies& studies) {
  page::Table table{
      "what ends it: seconds to recover of the naive fleet of 1,000, 60 s "
      "after the outage",
      {"remedy", "recovered after, s"},
      {}};
  for (const FleetRemedy& each : studies.ends) {
    const std::string name(RemedyName(each.remedy));
    table.rows.push_back({name,
                          {SecondsToRecover(each.recovered, each.watched),
                           absl::StrCat("fleet.ends.", name)}});
  }
  return table;
}

page::Table Budgets(const FleetStudies& studies) {
  page::Table table{
      "quieter processes, and other budgets; jitter and budget, oldest first",
      {"calls a second by each process", "processes", "budget: ceiling",
       "floor", "attempts of the busiest 100 ms, over the capacity",
       "recovered after, s"},
      {}};
  for (size_t i = 0; i < studies.by_budget.size(); ++i) {
    const FleetQuiet& each = studies.by_budget[i];
    const std::string path = absl::StrCat("fleet.by_budget.", i, ".");
    table.rows.push_back({Number(each.calls_per_second, 1),
                          {Number(each.processes), path + "processes"},
                          {Number(each.budget.ceiling), path + "ceiling"},
                          {Number(each.budget.floor, 2), path + "floor"},
                          {Number(each.peak, 2), path + "peak_over_capacity"},
                          {SecondsToRecover(each.recovered, each.watched),
                           path + "recovered_s"}});
  }
  return table;
}

}  // namespace

std::string StudyTables(const FleetStudies& studies) {
  return absl::StrCat(page::Html(When(studies)), page::Html(Ends(studies)),
                      page::Html(Budgets(studies)));
}

std::string SecondsToRecover(const Recovery& recovered,
                             absl::Duration watched) {
  return absl::StrCat(
      recovered.has_value() ? "" : "> ",
      Number(absl::ToDoubleSeconds(recovered.value_or(watched))));
}

}  // namespace lab
