// How long something takes, of late: any quantile, from a fixed memory.
//
// An average says nothing about a tail, and a list of measurements grows. This
// counts measurements in buckets, each a fixed part wider than the one before,
// so that every quantile is within 1/128 (0.8 %) of the exact one, whatever the
// distribution ("DDSketch", Masson, Rim and Lee, VLDB 2019; 64 even buckets to
// a power of two, as its fast mapping and HdrHistogram have them).
//
//   LatencySketch sketch;
//   sketch.Record(latency, now);
//   std::optional<absl::Duration> p95 = sketch.Quantile(0.95, now,
//   /*least=*/100);
//
// It forgets: measurements belong to windows of a fixed length, the one under
// way and the one before count, and older ones are wiped by the first to
// measure in a new window. A quantile so covers one to two windows.
//
// Thread-safety: safe for concurrent use; no member locks, blocks or allocates.
//                A measurement may be lost while a window is being wiped, and
//                a quantile taken meanwhile counts some and not others.
// Units:         Durations from 1 us to 1 h; what is shorter counts as 1 us,
//                what is longer as 1 h. `now` is on any epoch, and goes
//                forward: a measurement older than the windows is left out.
// Errors:        none; a quantile of too little is nothing.
#ifndef FORBEAR_INTERCEPTORS_TELEMETRY_LATENCY_SKETCH_H_
#define FORBEAR_INTERCEPTORS_TELEMETRY_LATENCY_SKETCH_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "absl/time/time.h"

namespace forbear {

class LatencySketch {
 public:
  // No quantile is off by more than this part of the exact one.
  static constexpr double kRelativeError = 1.0 / 128;

  // `window` is 1 ms at least.
  explicit LatencySketch(absl::Duration window = absl::Seconds(30));
  LatencySketch(const LatencySketch&) = delete;
  LatencySketch& operator=(const LatencySketch&) = delete;

  void Record(absl::Duration latency, absl::Time now);

  // The least latency that this fraction of the measurements did not exceed:
  // the k-th smallest of n, k = max(1, ceil(fraction x n)). Nothing if fewer
  // than `least` were measured. Reads some thousand counters: not for every
  // call (see recent_quantile.h).
  std::optional<absl::Duration> Quantile(double fraction, absl::Time now,
                                         int64_t least = 1) const;

  // Measurements in the windows that count.
  int64_t Count(absl::Time now) const;

 private:
  static constexpr int kBuckets = 2028;

  struct Window {
    std::atomic<int64_t> number;  // Since the epoch; see the source.
    std::array<std::atomic<uint32_t>, kBuckets> counts;
  };

  int64_t NumberAt(absl::Time now) const;
  // Null if the window is another one by now, or is being wiped.
  Window* Open(int64_t number);
  // Whether it counts for quantiles taken in window `now`.
  static bool Counts(const Window& window, int64_t now);

  const int64_t window_nanos_;
  std::array<Window, 2> windows_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_TELEMETRY_LATENCY_SKETCH_H_
