// A quantile of what was measured of late, cheap enough to ask on every call.
//
// Counting up a sketch reads some thousand counters. This does so ten times a
// second at most, on the call of whoever comes first, and remembers the result.
//
//   RecentQuantile p95(0.95, /*least=*/100);
//   p95.Record(latency, now);
//   absl::Duration late = p95.Get(now);   // Infinite until 100 are measured.
//
// Thread-safety: safe for concurrent use; no member locks or blocks.
// Units:         as LatencySketch; a result is at most a tenth of a second old
//                when it is asked for more often than that.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_TELEMETRY_RECENT_QUANTILE_H_
#define FORBEAR_INTERCEPTORS_TELEMETRY_RECENT_QUANTILE_H_

#include <atomic>
#include <cstdint>
#include <limits>

#include "absl/time/time.h"
#include "interceptors/telemetry/latency_sketch.h"

namespace forbear {

class RecentQuantile {
 public:
  RecentQuantile(double fraction, int64_t least)
      : fraction_(fraction), least_(least) {}

  void Record(absl::Duration latency, absl::Time now) {
    sketch_.Record(latency, now);
  }

  absl::Duration Get(absl::Time now);

  const LatencySketch& sketch() const { return sketch_; }

 private:
  static constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();

  const double fraction_;
  const int64_t least_;
  LatencySketch sketch_;
  std::atomic<int64_t> nanos_{kUnknown};
  // In nanoseconds since the epoch.
  std::atomic<int64_t> stale_at_{std::numeric_limits<int64_t>::min()};
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_TELEMETRY_RECENT_QUANTILE_H_
