#include "examples/storm/in_short.h"

#include "absl/strings/str_format.h"
#include "examples/storm/figure_rows.h"

namespace storm {

Short InShort(const Story& story) {
  const Figures& bare = story.courses.front().figures;
  const Figures& forbear = story.courses.back().figures;
  const auto shown = [](const char* key, const Figures& figures) {
    for (const FigureRow& row : FigureRows()) {
      if (std::string(row.key) == key) return Shown(row, figures);
    }
    return std::string();
  };
  constexpr char kFailing[] = "attempts_per_order.failing";
  constexpr char kBusiest[] = "busiest_100ms";
  constexpr char kInTime[] = "in_time_share";
  constexpr char kWasted[] = "wasted_seconds";
  constexpr char kTwice[] = "double_charges";
  return {
      absl::StrFormat(
          "While routes fails, retries by hand send it %s attempts for every "
          "order; with forbear it gets %s. In the busiest 100 ms of the "
          "evening it gets %s by hand, and %s with forbear.",
          shown(kFailing, bare), shown(kFailing, forbear),
          shown(kBusiest, bare), shown(kBusiest, forbear)),
      absl::StrFormat(
          "By hand %s of the orders have an answer in time, handlers work %s s "
          "for customers who have left, and %s cards are charged twice. With "
          "forbear it is %s, %s s, and %s.",
          shown(kInTime, bare), shown(kWasted, bare), shown(kTwice, bare),
          shown(kInTime, forbear), shown(kWasted, forbear),
          shown(kTwice, forbear))};
}

}  // namespace storm
