// Finds how many calls a server should run at once, from how long they take.
//
// The rule is that of Envoy's adaptive concurrency: now and then few calls are
// let in, and what they take in the middle is what a call takes by itself, the
// baseline. From then on, ten times a second,
//
//   gradient = baseline x 1.25 / what calls take now     in [0.5, 2]
//   limit    = gradient x limit + sqrt(gradient x limit)
//
// so that calls that slow each other down are fewer soon, and the root asks
// for a little more each time. Why this one: its baseline is measured, not
// remembered, so that no long overload is taken for normal. Other than there,
// the limit only grows where it was reached: a quiet server keeps what it knew.
//
//   AdaptiveLimit adaptive(/*least=*/4, /*most=*/1000, now);
//   if (adaptive.Record(took, running, now, chance)) Use(adaptive.limit());
//
// It suits calls that take about the same; give what takes far longer than the
// rest a limit of its own.
//
// Thread-safety: thread-compatible.
// Units:         calls at once; instants of one clock, which only goes forward.
// Errors:        none; 1 <= least <= most.
#ifndef FORBEAR_INTERCEPTORS_ADMISSION_ADAPTIVE_LIMIT_H_
#define FORBEAR_INTERCEPTORS_ADMISSION_ADAPTIVE_LIMIT_H_

#include <cstddef>
#include <vector>

#include "absl/random/bit_gen_ref.h"
#include "absl/time/time.h"

namespace forbear {

class AdaptiveLimit {
 public:
  AdaptiveLimit(int least, int most, absl::Time now);

  // How many may run at once. The least while the baseline is measured.
  int limit() const { return measuring_ ? least_ : limit_; }

  // A call took so long, while `running` ran, itself included. True if the
  // limit has changed.
  bool Record(absl::Duration took, int running, absl::Time now,
              absl::BitGenRef chance);

 private:
  // What the calls of this window took in the middle.
  absl::Duration Median();
  void Begin(absl::Time now);
  void Measured(absl::Time now, absl::BitGenRef chance);
  void Adapt();

  const int least_;
  const int most_;
  int limit_;
  bool measuring_ = true;
  absl::Duration baseline_;
  absl::Time measure_at_;
  // The current window.
  absl::Time begun_;
  bool reached_ = false;
  size_t count_ = 0;
  std::vector<absl::Duration> took_;  // The latest of them.
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_ADMISSION_ADAPTIVE_LIMIT_H_
