#include "examples/lab/layers_section.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "examples/page/bars.h"
#include "examples/page/look.h"
#include "examples/page/table.h"
#include "examples/page/text.h"

namespace lab {
namespace {

using page::Number;

page::Figure BudgetFigure(const Report& report) {
  page::Bars bars;
  bars.title = "Requests to a dead dependency, without and with a budget";
  bars.description = "The numbers are in the table below.";
  bars.unit = "attempts";
  const double without = report.without_budget.attempts;
  const double with = report.with_budget.attempts;
  bars.groups = {
      {absl::StrCat(Number(kRequests), " requests"), {without, with}}};
  page::Figure figure;
  figure.title = "A budget over all requests";
  figure.note = absl::StrFormat(
      "%s requests to the dead dependency, each with up to %d retries. The "
      "bucket starts full at 10, holds 10, earns 0.1 a request, has no floor.",
      Number(kRequests), kRetries);
  figure.legend = page::Legend({"without a budget", "with the bucket"});
  figure.drawings = {page::Svg(bars)};
  figure.numbers = {"with and without a budget",
                    {"", "attempts", "retries allowed", "requests refused"},
                    {}};
  const auto add = [&](const char* name, const std::string& path,
                       const BudgetFigures& figures) {
    figure.numbers.rows.push_back(
        {name,
         {Number(figures.attempts), path + ".attempts"},
         {Number(figures.allowed), path + ".allowed"},
         {Number(figures.refused), path + ".refused"}});
  };
  add("without a budget", "budget.without", report.without_budget);
  add("with the bucket", "budget.with", report.with_budget);
  return figure;
}

}  // namespace

page::Section LayersSection(const Report& report) {
  page::Bars bars;
  bars.title = "Attempts that reach a dead dependency for one request";
  bars.description = "The numbers are in the table below.";
  bars.unit = "attempts for one request";
  page::Figure figure;
  figure.title = "Retries multiply from layer to layer";
  figure.note =
      "Attempts that reach a dead dependency for one request, and with the "
      "signal by which a layer that gave up tells the one above not to retry.";
  figure.legend = page::Legend({"without the signal", "with the signal"});
  figure.numbers = {
      "attempts by layers", {"", "without the signal", "with the signal"}, {}};
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const Report::Layers& each = report.layers[i];
    const std::string path = absl::StrCat("layers.", i, ".attempts");
    bars.groups.push_back({StackName(each.stack),
                           {static_cast<double>(each.attempts),
                            static_cast<double>(each.with_signal)}});
    figure.numbers.rows.push_back(
        {StackName(each.stack),
         {Number(each.attempts), path},
         {Number(each.with_signal), path + "_with_signal"}});
  }
  figure.drawings = {page::Svg(bars)};
  return {"layers", "2. Layers and budgets",
          page::Beside(figure, BudgetFigure(report))};
}

std::string StackName(const Stack& stack) {
  return absl::StrFormat(
      "%d layer%s %s", stack.layers, stack.layers == 1 ? "" : "s",
      stack.retries == 0 ? "without retries"
                         : absl::StrFormat("of %d retries", stack.retries));
}

}  // namespace lab
