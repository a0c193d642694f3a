// Numbers as bars, one below the other, as SVG.
//
//   Bars bars;
//   bars.title = "Attempts that reach a dead dependency";
//   bars.unit = "attempts";
//   bars.groups = {{"3 layers of 3 retries", {64, 4}}};  // Looks 0 and 1.
//   html += Svg(bars);
//
// Thread-safety: pure functions.
// Units:         as `unit` says.
// Errors:        none; all texts are escaped. A number that is not finite is a
//                bar over the whole width, with `unbounded` beside it.
#ifndef FORBEAR_EXAMPLES_PAGE_BARS_H_
#define FORBEAR_EXAMPLES_PAGE_BARS_H_

#include <string>
#include <vector>

namespace page {

struct BarGroup {
  std::string name;
  std::vector<double> numbers;
};

struct Bars {
  std::string title;
  std::string description;
  std::string unit;
  std::vector<BarGroup> groups;
  double until = 0;  // Of the axis; 0: the largest number.
  int digits = 0;    // Shown after the point.
  std::string unbounded;
};

std::string Svg(const Bars& bars);

}  // namespace page

#endif  // FORBEAR_EXAMPLES_PAGE_BARS_H_
