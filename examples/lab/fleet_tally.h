// Counts what a fleet goes through, second by second.
//
//   FleetTally tally(plan);
//   tally.Offered(now);
//   return tally.Figures(events);
//
// Thread-safety: thread-compatible.
// Units:         nanoseconds since the beginning.
// Errors:        none. What happens after the plan's end is not counted, but
//                for the success of calls that began before it.
#ifndef FORBEAR_EXAMPLES_LAB_FLEET_TALLY_H_
#define FORBEAR_EXAMPLES_LAB_FLEET_TALLY_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "examples/lab/fleet_figures.h"
#include "examples/lab/fleet_plan.h"

namespace lab {

class FleetTally {
 public:
  explicit FleetTally(const FleetPlan& plan);

  void Started(int64_t at) { ++Second(at).started; }
  void Offered(int64_t at) {
    ++Second(at).offered;
    ++tenths_[at / kTenth];
  }
  void Served(int64_t at, bool good) {
    ++(good ? Second(at).good : Second(at).wasted);
  }
  void Succeeded(int64_t started) { ++Second(started).succeeded; }

  FleetFigures Figures(uint64_t events) const;

 private:
  static constexpr int64_t kTenth = 100'000'000;

  FleetSecond& Second(int64_t at) { return seconds_[at / (10 * kTenth)]; }
  Recovery RecoveredSince(absl::Duration since) const;

  const FleetPlan plan_;
  const int64_t length_;  // In seconds.
  std::vector<FleetSecond> seconds_;
  std::vector<int64_t> tenths_;
};

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_FLEET_TALLY_H_
