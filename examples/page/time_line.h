// What went on in several places, one lane each, as SVG.
//
//   TimeLine line;
//   line.title = "order 17";
//   line.x = {"ms since it was placed", 0, 5'000};
//   line.lanes = {{"routes", {{0, 800, Stretch::Kind::kFailed, "attempt 1"}}}};
//   html += Svg(line);
//
// What overlaps within a lane is drawn one below the other.
//
// Thread-safety: pure functions.
// Units:         those of the axis.
// Errors:        none; all texts are escaped.
#ifndef FORBEAR_EXAMPLES_PAGE_TIME_LINE_H_
#define FORBEAR_EXAMPLES_PAGE_TIME_LINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "examples/page/chart.h"

namespace page {

struct Stretch {
  enum class Kind : uint8_t {
    kDone,    // Solid.
    kFailed,  // Hollow, and ends with a cross.
    kWait,    // A dashed line.
  };
  double from = 0;
  double until = 0;
  Kind kind = Kind::kDone;
  std::string text;  // Shown where there is room, and under the pointer.
};

struct Lane {
  std::string name;
  std::vector<Stretch> stretches;
};

struct TimeLine {
  std::string title;
  std::string description;
  Axis x;
  std::vector<Lane> lanes;
};

std::string Svg(const TimeLine& line);

// What the three kinds look like.
std::string TimeLineLegend();

}  // namespace page

#endif  // FORBEAR_EXAMPLES_PAGE_TIME_LINE_H_
