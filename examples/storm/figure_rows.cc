#include "examples/storm/figure_rows.h"

#include "absl/time/time.h"
#include "examples/page/text.h"
#include "examples/storm/plan.h"

namespace storm {
namespace {

using Number = absl::optional<double>;

constexpr char kPerOrder[] =
    "Attempts that reached routes in the phase, for each order placed in it.";
constexpr char kInTime[] =
    "Of the orders placed; 5 s from placing to the answer, the fallback "
    "included. Who asks until the outage ends gets more of them live, at the "
    "price above.";
constexpr char kEntered[] = "Counted in all three servers.";
constexpr char kRecovered[] =
    "From the end of the outage to the first second of which 95 % of the "
    "orders have a live estimate in time, and which 2 s like it follow.";

template <PhaseName phase>
Number PerOrder(const Figures& figures) {
  return figures.phases[phase].AttemptsPerOrder();
}

double Share(int part, int whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / whole;
}

}  // namespace

const std::vector<FigureRow>& FigureRows() {
  static const auto* const rows = new std::vector<FigureRow>{
      {"orders", "orders placed", "",
       [](const Figures& f) { return Number(f.orders); }, 0, false, false},
      {"attempts_per_order.healthy", "attempts at routes per order, healthy",
       kPerOrder, PerOrder<kHealthy>, 2, false, false},
      {"attempts_per_order.failing", "failing fast", "", PerOrder<kFailing>, 2,
       false, true},
      {"attempts_per_order.hanging", "hanging", "", PerOrder<kHanging>, 2,
       false, true},
      {"attempts_per_order.recovering", "recovering", "", PerOrder<kRecovering>,
       2, false, true},
      {"busiest_100ms", "attempts at routes in its busiest 100 ms", "",
       [](const Figures& f) { return Number(f.busiest_tenth); }, 0, false,
       false},
      {"in_time_share", "orders answered within 5 s", kInTime,
       [](const Figures& f) { return Number(Share(f.in_time, f.orders)); }, 1,
       true, false},
      {"live_share", "with a live estimate", "",
       [](const Figures& f) { return Number(Share(f.good, f.orders)); }, 1,
       true, true},
      {"fallback_share", "with the fallback", "",
       [](const Figures& f) {
         return Number(Share(f.in_time - f.good, f.orders));
       },
       1, true, true},
      {"entered_after_expiry", "handlers entered after the order's deadline",
       kEntered, [](const Figures& f) { return Number(f.entered_late); }, 0,
       false, false},
      {"recovery_seconds", "seconds until recovered", kRecovered,
       [](const Figures& f) {
         return f.recovery.has_value()
                    ? Number(absl::ToDoubleSeconds(*f.recovery))
                    : Number();
       },
       1, false, false},
  };
  return *rows;
}

std::string Shown(const FigureRow& row, const Figures& figures) {
  const Number number = row.number(figures);
  if (!number.has_value()) return "not in 10";
  return row.is_share ? page::Number(100 * *number, row.digits) + " %"
                      : page::Number(*number, row.digits);
}

}  // namespace storm
