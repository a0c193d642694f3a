// How fast a full server finishes calls.
//
// Departures say what a server can do only while all of its slots are taken, so
// time counts only then: the rate is that of the last second of such time. What
// happened before a quiet hour still counts after it.
//
//   DrainRate rate(limit);
//   rate.SetFull(running == limit, now);
//   rate.Departed(now);
//   absl::optional<double> per_second = rate.PerSecond(now);
//
// Thread-safety: thread-compatible.
// Units:         calls per second of full time. `now` only goes forward.
// Errors:        none; the rate is unknown until `enough` calls have departed,
//                or a second of full time has passed.
#ifndef FORBEAR_INTERCEPTORS_ADMISSION_DRAIN_RATE_H_
#define FORBEAR_INTERCEPTORS_ADMISSION_DRAIN_RATE_H_

#include <cstdint>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/policy/recent_sum.h"

namespace forbear {

class DrainRate {
 public:
  explicit DrainRate(int enough) : enough_(enough) {}

  void SetFull(bool full, absl::Time now);
  void Departed(absl::Time now);
  absl::optional<double> PerSecond(absl::Time now) const;

 private:
  // Full time until now, in nanoseconds.
  int64_t FullTime(absl::Time now) const;

  const int enough_;
  RecentSum departed_{absl::Seconds(1)};  // On the clock of full time.
  int64_t counted_ = 0;                   // As many as mattered to `enough_`.
  absl::Duration full_time_;
  bool full_ = false;
  absl::Time full_since_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_ADMISSION_DRAIN_RATE_H_
