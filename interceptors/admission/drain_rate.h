// How fast a full server finishes calls.
//
// Departures say what a server can do only while all of its slots are taken, so
// time counts only then: the rate is that of the last second of such time, or
// of the last few calls where they take longer. What happened before a quiet
// hour still counts after it.
//
//   DrainRate rate(limit);
//   rate.SetFull(running == limit, now);
//   rate.Departed(now);
//   absl::optional<double> per_second = rate.PerSecond(now);
//
// Thread-safety: thread-compatible.
// Units:         calls per second of full time. `now` only goes forward.
// Errors:        none; the rate is unknown until `enough` calls have departed.
#ifndef FORBEAR_INTERCEPTORS_ADMISSION_DRAIN_RATE_H_
#define FORBEAR_INTERCEPTORS_ADMISSION_DRAIN_RATE_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/policy/recent_sum.h"

namespace forbear {

class DrainRate {
 public:
  explicit DrainRate(int enough);

  void SetFull(bool full, absl::Time now);
  void Departed(absl::Time now);
  absl::optional<double> PerSecond(absl::Time now) const;

 private:
  // Full time until now, in nanoseconds.
  int64_t FullTime(absl::Time now) const;

  const size_t enough_;
  const size_t few_;
  // On the clock of full time: those of a second, and the last few with the
  // instant from which they count.
  RecentSum departed_{absl::Seconds(1)};
  std::deque<int64_t> last_{0};
  absl::Duration full_time_;
  bool full_ = false;
  absl::Time full_since_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_ADMISSION_DRAIN_RATE_H_
