// What a fleet went through.
//
//   const FleetFigures figures = RunFleet(plan);
//   figures.seconds[12].offered;
//
// Thread-safety: values.
// Units:         work is counted in pieces: what one attempt costs the service.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_FLEET_FIGURES_H_
#define FORBEAR_EXAMPLES_LAB_FLEET_FIGURES_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"

namespace lab {

// Nothing: not before the end.
using Recovery = absl::optional<absl::Duration>;

struct FleetSecond {
  int64_t offered = 0;    // Attempts that arrived.
  int64_t good = 0;       // Pieces of work that a caller got.
  int64_t wasted = 0;     // Pieces of work whose caller had left.
  int64_t started = 0;    // Calls that began.
  int64_t succeeded = 0;  // Of those.
};

struct FleetFigures {
  std::vector<FleetSecond> seconds;
  double peak = 0;  // Offered in the busiest 100 ms, over capacity.
  // From the outage's end on: the calls that succeed, and the work that was
  // done for nobody.
  double good_share = 0;
  double wasted_share = 0;
  // From the outage's end to the first second of which 95 % of the calls
  // succeed, and which four like it follow.
  Recovery recovered;
  // The same, from the remedy on.
  Recovery recovered_by_remedy;
  uint64_t events = 0;
};

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_FLEET_FIGURES_H_
