#include "examples/lab/fleet_section.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "examples/lab/fleet_figures.h"
#include "examples/lab/fleet_plan.h"
#include "examples/lab/fleet_study_tables.h"
#include "examples/lab/fleet_tables.h"
#include "examples/page/chart.h"
#include "examples/page/look.h"
#include "examples/page/table.h"
#include "examples/page/text.h"

namespace lab {
namespace {

using page::Number;

struct Count {
  const char* name;
  int64_t FleetSecond::*count;
};
constexpr Count kCounts[] = {
    {"attempts", &FleetSecond::offered},
    {"good answers", &FleetSecond::good},
    {"work for nobody", &FleetSecond::wasted},
};

double OverCapacity(const FleetReport& report, int64_t count) {
  return static_cast<double>(count) / report.plan.Capacity();
}

double Highest(const FleetReport& report) {
  double highest = 1;
  for (const FleetRow& row : report.rows) {
    for (const FleetSecond& second : row.figures.seconds) {
      highest = std::max(highest, OverCapacity(report, second.offered));
    }
  }
  return highest;
}

page::Chart RowChart(const FleetReport& report, const FleetRow& row) {
  const FleetPlan& plan = report.plan;
  page::Chart chart;
  chart.title = absl::StrCat(row.rule.name, ", ", OrderName(row.order));
  chart.description = absl::StrFormat(
      "The busiest 100 ms have %.2f times the capacity; %.1f %% of the calls "
      "after the outage succeed.",
      row.figures.peak, 100 * row.figures.good_share);
  const double healthy = absl::ToDoubleSeconds(plan.healthy);
  const double outage = healthy + absl::ToDoubleSeconds(plan.outage);
  const double end = outage + absl::ToDoubleSeconds(plan.after);
  chart.x = {"seconds", 0, end};
  chart.y = {"a second's work, over the capacity", 0, 1.15 * Highest(report)};
  chart.bands = {{"well", 0, healthy},
                 {"stands still", healthy, outage},
                 {"well again", outage, end}};
  int look = 0;
  for (const Count& count : kCounts) {
    page::Line line{count.name, {}, look++, false};
    for (size_t i = 0; i < row.figures.seconds.size(); ++i) {
      line.points.push_back(
          {static_cast<double>(i),
           OverCapacity(report, row.figures.seconds[i].*count.count)});
    }
    chart.lines.push_back(line);
  }
  return chart;
}

// Each second of the rows that are drawn.
page::Table SecondsTable(const FleetReport& report,
                         const std::vector<const FleetRow*>& rows) {
  page::Table table{"each second, over the capacity", {"second"}, {}};
  for (const FleetRow* row : rows) {
    for (const Count& count : kCounts) {
      table.head.push_back(absl::StrCat(row->rule.name, ": ", count.name));
    }
  }
  for (size_t i = 0; i < rows.front()->figures.seconds.size(); ++i) {
    std::vector<page::Cell> cells = {Number(static_cast<double>(i))};
    for (const FleetRow* row : rows) {
      for (const Count& count : kCounts) {
        cells.emplace_back(Number(
            OverCapacity(report, row->figures.seconds[i].*count.count), 3));
      }
    }
    table.rows.push_back(cells);
  }
  return table;
}

page::Table RowsTable(const FleetReport& report) {
  page::Table table{"all rules, both orders",
                    {"rule, order of the queue",
                     "attempts of the busiest 100 ms, over the capacity",
                     "good answers after the outage", "recovered after, s",
                     "work for nobody after the outage"},
                    {}};
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const FleetRow& row = report.rows[i];
    const std::string path = absl::StrCat("fleet.rows.", i, ".");
    table.rows.push_back(
        {absl::StrCat(row.rule.name, ", ", OrderName(row.order)),
         {Number(row.figures.peak, 2), path + "peak_over_capacity"},
         {Number(100 * row.figures.good_share, 1) + " %",
          path + "goodput_share"},
         {SecondsToRecover(row.figures.recovered, report.plan.after),
          path + "recovered_s"},
         {Number(100 * row.figures.wasted_share, 1) + " %",
          path + "for_nobody_share"}});
  }
  return table;
}

std::string SetUp(const FleetPlan& plan) {
  return absl::StrFormat(
      "%s processes, each with a budget of its own, make %s calls a second. "
      "The service does %s, and queues %s of work. It is well for %s, stands "
      "still for %s, and is watched for %s more. A call has %s, an attempt %s; "
      "up to %d attempts.",
      Number(plan.processes), Number(plan.processes * plan.calls_per_second),
      Number(plan.Capacity()), absl::FormatDuration(plan.queue),
      absl::FormatDuration(plan.healthy), absl::FormatDuration(plan.outage),
      absl::FormatDuration(plan.after), absl::FormatDuration(plan.call_timeout),
      absl::FormatDuration(plan.attempt_timeout), plan.max_attempts);
}

}  // namespace

page::Section FleetSection(const FleetReport& report) {
  std::vector<const FleetRow*> drawn;
  for (const FleetRow& row : report.rows) {
    // Four tell the story; the table has them all.
    for (const int rule : {0, 1, 2, 5}) {
      if (row.order == FleetOrder::kOldest &&
          row.rule.name == kFleetRules[rule].name) {
        drawn.push_back(&row);
      }
    }
  }
  page::Figure figure;
  figure.title = "After the outage: who recovers, and who does not";
  figure.note = SetUp(report.plan);
  std::vector<std::string> names;
  for (const Count& count : kCounts) names.push_back(count.name);
  figure.legend = page::Legend(names);
  for (const FleetRow* row : drawn) {
    const Recovery& recovered = row->figures.recovered;
    figure.names.push_back(absl::StrFormat(
        "%s: %s %.0f s", row->rule.name,
        recovered.has_value() ? "recovered after" : "not recovered within",
        absl::ToDoubleSeconds(recovered.value_or(report.plan.after))));
    figure.drawings.push_back(page::Svg(RowChart(report, *row)));
  }
  figure.numbers = SecondsTable(report, drawn);
  return {"fleet", "6. A fleet",
          page::Html(figure) + page::Html(RowsTable(report)) +
              StudyTables(report.studies)};
}

}  // namespace lab
