#include "examples/lab/fleet_json.h"

#include "absl/time/time.h"
#include "examples/lab/fleet_tables.h"

namespace lab {
namespace {

Json Seconds(const Recovery& recovered) {
  return recovered.has_value()
             ? Json::Rounded(absl::ToDoubleSeconds(*recovered), 0)
             : Json::Null();
}

Json Course(const FleetReport& report, const FleetRow& row,
            int64_t FleetSecond::*count) {
  Json course = Json::Array();
  for (const FleetSecond& second : row.figures.seconds) {
    course.Add(Json::Rounded(
        static_cast<double>(second.*count) / report.plan.Capacity(), 3));
  }
  return course;
}

Json Row(const FleetReport& report, const FleetRow& row) {
  Json json = Json::Object();
  json.Set("rule", row.rule.name)
      .Set("order", OrderName(row.order))
      .Set("peak_over_capacity", Json::Rounded(row.figures.peak, 2))
      .Set("goodput_share", Json::Rounded(row.figures.good_share, 4))
      .Set("recovered_s", Seconds(row.figures.recovered))
      .Set("for_nobody_share", Json::Rounded(row.figures.wasted_share, 4))
      .Set("offered", Course(report, row, &FleetSecond::offered))
      .Set("good", Course(report, row, &FleetSecond::good))
      .Set("for_nobody", Course(report, row, &FleetSecond::wasted));
  return json;
}

Json When(const FleetStudies& studies) {
  Json when = Json::Array();
  for (const FleetStudy& study : studies.when) {
    Json recovered = Json::Object();
    for (size_t i = 0; i < study.recovered.size(); ++i) {
      recovered.Set(kFleetRules[i].name, Seconds(study.recovered[i]));
    }
    Json row = Json::Object();
    row.Set("load", Json::Rounded(study.load, 1))
        .Set("outage_s", Json::Rounded(absl::ToDoubleSeconds(study.outage), 1))
        .Set("recovered_s", recovered);
    when.Add(row);
  }
  return when;
}

Json Ends(const FleetStudies& studies) {
  Json ends = Json::Object();
  for (const FleetRemedy& each : studies.ends) {
    ends.Set(RemedyName(each.remedy), Seconds(each.recovered));
  }
  return ends;
}

Json Budgets(const FleetStudies& studies) {
  Json budgets = Json::Array();
  for (const FleetQuiet& each : studies.by_budget) {
    Json row = Json::Object();
    row.Set("calls_per_second", Json::Rounded(each.calls_per_second, 1))
        .Set("processes", each.processes)
        .Set("ceiling", Json::Rounded(each.budget.ceiling, 3))
        .Set("floor", Json::Rounded(each.budget.floor, 3))
        .Set("peak_over_capacity", Json::Rounded(each.peak, 2))
        .Set("recovered_s", Seconds(each.recovered));
    budgets.Add(row);
  }
  return budgets;
}

}  // namespace

Json FleetJson(const FleetReport& report) {
  Json rows = Json::Array();
  for (const FleetRow& row : report.rows) rows.Add(Row(report, row));
  const double seconds = absl::ToDoubleSeconds(report.cost.time);
  Json cost = Json::Object();
  cost.Set("events", static_cast<int64_t>(report.cost.events))
      .Set("seconds", Json::Rounded(seconds, 3))
      .Set("events_per_second",
           Json::Rounded(static_cast<double>(report.cost.events) / seconds, 0))
      .Set("memory_bytes", report.cost.memory_bytes);
  Json fleet = Json::Object();
  fleet.Set("processes", report.plan.processes)
      .Set("rows", rows)
      .Set("cost", cost)
      .Set("when", When(report.studies))
      .Set("ends", Ends(report.studies))
      .Set("by_budget", Budgets(report.studies));
  return fleet;
}

}  // namespace lab
