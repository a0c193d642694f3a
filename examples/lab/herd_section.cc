#include "examples/lab/herd_section.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "examples/page/chart.h"
#include "examples/page/table.h"
#include "examples/page/text.h"
#include "interceptors/policy/backoff.h"

namespace lab {
namespace {

using page::Number;

std::string Ms(absl::Duration duration) {
  return Number(absl::ToDoubleMilliseconds(duration));
}

// A picture cannot show more windows than it has columns.
constexpr int64_t kColumns = 240;

// The calls in each window; where there are more than columns, the busiest
// window of each column.
page::Line Calls(const Report::Rule& rule, int look, absl::Duration window) {
  const int64_t windows = rule.figures.finished / window;
  const int64_t together = windows / kColumns + 1;
  std::vector<int64_t> columns(windows / together + 1);
  for (const auto& [at, calls] : rule.figures.by_window) {
    int64_t& column = columns[at / together];
    column = std::max(column, calls);
  }
  page::Line line;
  line.name = std::string(forbear::JitterName(rule.jitter));
  line.look = look;
  line.filled = true;
  for (size_t i = 0; i < columns.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) * together;
    line.points.push_back(
        {absl::ToDoubleSeconds(at * window), static_cast<double>(columns[i])});
  }
  return line;
}

page::Table HerdTable(const Report& report) {
  page::Table table;
  table.caption =
      absl::StrFormat("the herd, seed %d, and the means of seeds 1 to %d",
                      report.plan.seed, report.plan.runs);
  table.head = {"jitter",
                "calls",
                "refused",
                "busiest window after the first",
                "last accepted, ms",
                "mean calls",
                "mean refused",
                "mean busiest",
                "mean finished, ms"};
  for (const Report::Rule& rule : report.herd) {
    const std::string name(forbear::JitterName(rule.jitter));
    const std::string path = absl::StrCat("herd.", name, ".");
    const HerdFigures& figures = rule.figures;
    const HerdMeans& means = rule.means;
    const auto tenths = [](int64_t number) {
      return Number(static_cast<double>(number) / 10, 1);
    };
    table.rows.push_back({
        name,
        {Number(figures.calls), path + "calls"},
        {Number(figures.refused), path + "refused"},
        {Number(figures.busiest), path + "busiest"},
        {Ms(figures.finished), path + "finished_ms"},
        {tenths(means.calls_tenths), path + "mean.calls"},
        {tenths(means.refused_tenths), path + "mean.refused"},
        {tenths(means.busiest_tenths), path + "mean.busiest"},
        {Ms(means.finished), path + "mean.finished_ms"},
    });
  }
  return table;
}

}  // namespace

page::Section HerdSection(const Report& report) {
  const HerdPlan& plan = report.plan;
  absl::Duration longest;
  int64_t most = 1;
  for (const Report::Rule& rule : report.herd) {
    longest = std::max(longest, rule.figures.finished);
    for (const auto& each : rule.figures.by_window) {
      most = std::max(most, each.second);
    }
  }
  page::Figure figure;
  figure.title = "When the herd comes back";
  figure.note = absl::StrFormat(
      "%s clients call at t = 0; the server accepts %s calls of each %s ms, "
      "the dashed line, and refuses the rest at once. Waits from %s ms, "
      "doubling, up to %s ms. The same scale in all four. Jitter brings some "
      "clients back within the first window, where they are refused again; "
      "from then on there is no herd.",
      Number(plan.clients), Number(plan.accept), Ms(plan.window), Ms(plan.base),
      Ms(plan.cap));
  figure.numbers = HerdTable(report);
  for (size_t i = 0; i < report.herd.size(); ++i) {
    const Report::Rule& rule = report.herd[i];
    page::Chart chart;
    chart.title = absl::StrCat("Calls per window, jitter: ",
                               forbear::JitterName(rule.jitter));
    chart.description = absl::StrFormat(
        "%s calls in all; the busiest window after the first has %s; the last "
        "call is accepted after %s ms.",
        Number(rule.figures.calls), Number(rule.figures.busiest),
        Ms(rule.figures.finished));
    const double until = absl::ToDoubleSeconds(std::max(longest, plan.window));
    chart.x = {"seconds since the first call", 0, until};
    chart.y = {absl::StrCat("calls per ", Ms(plan.window), " ms"), 0,
               static_cast<double>(most)};
    const double accept = plan.accept;
    chart.lines = {Calls(rule, static_cast<int>(i), plan.window),
                   {"accepted", {{0, accept}, {until, accept}}, 4, false}};
    figure.names.push_back(absl::StrFormat(
        "jitter %s: done after %s ms, %s refused", chart.lines[0].name,
        Ms(rule.figures.finished), Number(rule.figures.refused)));
    figure.drawings.push_back(page::Svg(chart));
  }
  return {"herd", "1. The herd", page::Html(figure)};
}

}  // namespace lab
