#include "examples/storm/figure_rows.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "examples/page/text.h"
#include "examples/storm/plan.h"

namespace storm {
namespace {

using Number = absl::optional<double>;
using Kind = FigureRow::Kind;

constexpr char kPerOrder[] =
    "Attempts that reached routes in the phase, for each order placed in it.";
constexpr char kInTime[] =
    "Of the orders placed; 5 s from placing to the answer. Who asks until the "
    "outage ends gets more of them live, at the price above.";
constexpr char kEntered[] =
    "In all four servers: after the customer had stopped waiting.";
constexpr char kRecovered[] =
    "From the end of the outage to the first second of which 95 % of the "
    "orders have a live estimate in time, and which 2 s like it follow; routes "
    "answers 80 a second meanwhile.";
constexpr char kPending[] =
    "Charged, and the shop says they were not; or it does not know.";

template <PhaseName phase>
Number PerOrder(const Figures& figures) {
  return figures.phases[phase].AttemptsPerOrder();
}

template <int Figures::*part>
Number ShareOf(const Figures& figures) {
  return figures.orders == 0
             ? 0
             : static_cast<double>(figures.*part) / figures.orders;
}

template <int Figures::*count>
Number CountOf(const Figures& figures) {
  return figures.*count;
}

Number RecoverySeconds(const Figures& figures) {
  if (!figures.recovery.has_value()) return absl::nullopt;
  return absl::ToDoubleSeconds(*figures.recovery);
}

}  // namespace

const std::vector<FigureRow>& FigureRows() {
  constexpr bool kGoesOn = true;
  static const auto* const rows = new std::vector<FigureRow>{
      {"orders", "orders placed", "", CountOf<&Figures::orders>, 0},
      {"attempts_per_order.healthy", "attempts at routes per order, healthy",
       kPerOrder, PerOrder<kHealthy>, 2},
      {"attempts_per_order.slow", "slow", "", PerOrder<kSlow>, 2, Kind::kNumber,
       kGoesOn},
      {"attempts_per_order.failing", "failing fast", "", PerOrder<kFailing>, 2,
       Kind::kNumber, kGoesOn, "attempts|failing"},
      {"attempts_per_order.hanging", "hanging", "", PerOrder<kHanging>, 2,
       Kind::kNumber, kGoesOn},
      {"attempts_per_order.recovering", "recovering", "", PerOrder<kRecovering>,
       2, Kind::kNumber, kGoesOn, "an order|back"},
      {"busiest_100ms", "attempts at routes in its busiest 100 ms", "",
       CountOf<&Figures::busiest_tenth>, 0, Kind::kNumber, false,
       "busiest|100 ms"},
      {"in_time_share", "orders answered within 5 s", kInTime,
       ShareOf<&Figures::in_time>, 1, Kind::kShare, false, "in|time"},
      {"live_share", "with a live estimate", "", ShareOf<&Figures::good>, 1,
       Kind::kShare, kGoesOn},
      {"fallback_share", "with the fallback", "", ShareOf<&Figures::fell_back>,
       1, Kind::kShare, kGoesOn},
      {"entered_after_expiry", "handlers entered after the order's deadline",
       kEntered, [](const Figures& f) { return Number(f.entered_late); }, 0,
       Kind::kNumber, false, "late|entries"},
      {"wasted_seconds", "seconds of handlers spent for nobody", "",
       [](const Figures& f) { return Number(absl::ToDoubleSeconds(f.wasted)); },
       1, Kind::kNumber, false, "wasted|seconds"},
      {"recovery_seconds", "seconds until recovered", kRecovered,
       RecoverySeconds, 1, Kind::kNumber, false, "until|recov., s"},
      {"recovery_peak_over_mean", "busiest 100 ms meanwhile, over the mean", "",
       [](const Figures& f) { return Number(f.recovery_peak); }, 2,
       Kind::kNumber, kGoesOn},
      {"double_charges", "cards charged twice, payments killed", "",
       CountOf<&Figures::double_charges>, 0, Kind::kNumber, false,
       "charged|twice"},
      {"pending", "orders of whose payment the shop knows nothing", kPending,
       CountOf<&Figures::pending>, 0, Kind::kNumber, false, "payment|unknown"},
      {"unassigned", "paid, and without a courier after the sweep", "",
       CountOf<&Figures::unassigned>, 0},
  };
  return *rows;
}

std::string Shown(const FigureRow& row, const Figures& figures) {
  const Number number = row.number(figures);
  if (!number.has_value()) {
    return absl::StrCat("not in ",
                        absl::ToInt64Seconds(kPlan[kRecovering].length));
  }
  return row.kind == Kind::kShare
             ? page::Number(100 * *number, row.digits) + " %"
             : page::Number(*number, row.digits);
}

}  // namespace storm
