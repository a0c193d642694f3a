// Lines over time, as SVG.
//
//   Chart chart;
//   chart.title = "bare: attempts at routes";
//   chart.x = {"s", 0, 24};
//   chart.y = {"attempts per 100 ms", 0, 371};
//   chart.bands = {{"healthy", 0, 3}, {"failing", 3, 7}};
//   chart.lines = {{"attempts", {{0, 5}, {0.1, 6}}}};
//   html += Svg(chart);
//
// Charts that are to be compared get the same axes.
//
// Thread-safety: pure functions.
// Units:         those of the axes.
// Errors:        none; all texts are escaped. A y that is not finite is a gap.
#ifndef FORBEAR_EXAMPLES_PAGE_CHART_H_
#define FORBEAR_EXAMPLES_PAGE_CHART_H_

#include <string>
#include <vector>

namespace page {

struct Axis {
  std::string name;  // With its unit.
  double from = 0;
  double until = 0;
};

// A stretch of the x axis.
struct Band {
  std::string name;
  double from = 0;
  double until = 0;
};

struct Point {
  double x = 0;
  double y = 0;
};

struct Line {
  std::string name;
  std::vector<Point> points;
  int look = 0;         // Of look.h.
  bool filled = false;  // Down to the x axis.
};

struct Chart {
  std::string title;
  std::string description;  // What is to be seen, for who does not see it.
  Axis x;
  Axis y;
  std::vector<Band> bands;
  std::vector<Line> lines;
  bool names_peak = false;  // The highest point of the first line.
};

std::string Svg(const Chart& chart);

}  // namespace page

#endif  // FORBEAR_EXAMPLES_PAGE_CHART_H_
