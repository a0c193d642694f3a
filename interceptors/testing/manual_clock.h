// A clock that stands still until it is told to move, and timers on it.
//
// Hours pass in no time, and every run is the same run: due timers fire in the
// order of their instants; ties by rank, the lowest first, and then in the
// order of their creation. While a timer fires, Now() is its instant.
//
//   ManualClock clock;
//   clock.AddTimer(clock.Now() + absl::Minutes(5), [&] { expired = true; });
//   clock.Advance(absl::Minutes(5));   // Fires it.
//
// Thread-safety: thread-compatible.
// Units:         absl::Time; by default it begins at the Unix epoch.
// Errors:        none. A timer for an instant that has passed fires at the
//                present one; a timer for the infinite future never fires.
#ifndef FORBEAR_INTERCEPTORS_TESTING_MANUAL_CLOCK_H_
#define FORBEAR_INTERCEPTORS_TESTING_MANUAL_CLOCK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>

#include "absl/container/btree_map.h"
#include "absl/time/time.h"

namespace forbear {

class ManualClock {
 public:
  // Names a timer, and orders it among the others: its instant, its rank, and
  // how many were created before it.
  using Timer = std::tuple<absl::Time, int, uint64_t>;

  explicit ManualClock(absl::Time start = absl::UnixEpoch()) : now_(start) {}
  ManualClock(const ManualClock&) = delete;
  ManualClock& operator=(const ManualClock&) = delete;

  absl::Time Now() const { return now_; }

  Timer AddTimer(absl::Time at, std::function<void()> fire, int rank = 0);
  // True if it had neither fired nor been cancelled.
  bool Cancel(const Timer& timer);
  // How many have neither fired nor been cancelled.
  size_t Timers() const { return timers_.size(); }

  // Moves on, and fires what is due by then, also what timers add on the way.
  void Advance(absl::Duration by) { AdvanceTo(now_ + by); }
  void AdvanceTo(absl::Time to);

  // Moves on to the next timer and fires it; false if none will ever fire.
  bool FireNext();
  // Until none is left that will ever fire.
  void RunUntilIdle();

 private:
  bool FireNextBy(absl::Time last);

  absl::Time now_;
  uint64_t added_ = 0;
  absl::btree_map<Timer, std::function<void()>> timers_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_TESTING_MANUAL_CLOCK_H_
