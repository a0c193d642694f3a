// What a storm came to, in numbers.
//
//   Figures figures = ...;
//   double amplification = figures.phases[kFailing].AttemptsPerOrder();
//
// Thread-safety: values.
// Units:         calls, orders, absl::Duration.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_FIGURES_H_
#define FORBEAR_EXAMPLES_STORM_FIGURES_H_

#include <array>
#include <cstdint>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "examples/storm/plan.h"

namespace storm {

struct PhaseFigures {
  int orders = 0;        // Placed in the phase.
  int64_t attempts = 0;  // That reached routes in the phase.

  double AttemptsPerOrder() const {
    return orders == 0 ? 0 : static_cast<double>(attempts) / orders;
  }
};

struct Figures {
  std::array<PhaseFigures, kPhases> phases;
  int busiest_tenth = 0;  // Attempts that reached routes in 100 ms.
  int orders = 0;
  int in_time = 0;           // Orders answered before patience ran out.
  int good = 0;              // In time and with a live estimate.
  int fell_back = 0;         // In time and with the fallback.
  int64_t entered_late = 0;  // Handlers, after their order's deadline.
  absl::Duration wasted;     // By handlers, after their order's deadline.
  absl::optional<absl::Duration> recovery;  // None: not seen.
  // While recovering, attempts at routes in the busiest 100 ms over the mean.
  double recovery_peak = 0;
  int double_charges = 0;  // Orders whose card was charged more than once.
  // Orders of which the shop does not know whether they were paid for, or of
  // which it knows the wrong thing.
  int pending = 0;
  int unassigned = 0;  // Paid for, and without a courier in the end.
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_FIGURES_H_
