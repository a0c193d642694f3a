// How long to wait before the next attempt.
//
// Callers that fail together and wait the same time return together, and
// bring the server down again. Exponential growth thins the herd; jitter
// spreads it.
//
//   Backoff backoff(options);
//   absl::Duration first = backoff.Next(bitgen);   // Within [0, 100 ms].
//   absl::Duration second = backoff.Next(bitgen);  // Within [0, 200 ms].
//
// The rules, with c = min(max, initial x multiplier^(n-1)) before retry n
// (see "Exponential Backoff and Jitter" in the AWS Architecture Blog; the
// proportional rule is gRFC A6's):
//   none           c
//   full           U[0, c]
//   equal          c/2 + U[0, c/2]
//   decorrelated   min(max, U[initial, max(initial, 3 x previous)])
//   proportional   c x U[0.8, 1.2]
//
// Thread-safety: thread-compatible; one object belongs to one call.
// Units:         absl::Duration; a wait is a whole multiple of `resolution`.
// Errors:        none at run time; Validate() checks the options. No n and no
//                multiplier overflows: the ceiling saturates at `max`.
#ifndef FORBEAR_INTERCEPTORS_POLICY_BACKOFF_H_
#define FORBEAR_INTERCEPTORS_POLICY_BACKOFF_H_

#include <cstdint>

#include "absl/random/bit_gen_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace forbear {

enum class Jitter : uint8_t {
  kNone,
  kFull,
  kEqual,
  kDecorrelated,
  kProportional,
};

absl::string_view JitterName(Jitter jitter);

struct BackoffOptions {
  Jitter jitter = Jitter::kFull;
  // The ceiling before the first retry. Range: (0, 1 h].
  absl::Duration initial = absl::Milliseconds(100);
  // What the ceiling grows by. Range: [1, 1e9].
  double multiplier = 2;
  // The highest ceiling. Range: [initial, 24 h].
  absl::Duration max = absl::Seconds(10);
  // Draws are whole multiples of this. Range: [1 us, initial].
  absl::Duration resolution = absl::Milliseconds(1);

  // `where` prefixes the field's name in the error, such as "backoff.".
  absl::Status Validate(absl::string_view where = "") const;
};

class Backoff {
 public:
  // `options` must be valid; it is copied.
  explicit Backoff(const BackoffOptions& options);

  // Draws the wait before the next retry, and moves on to the one after it.
  absl::Duration Next(absl::BitGenRef chance);

  // Starts over, as after a server said how long to wait (gRFC A6).
  void Reset();

  // The ceiling before retry `n`, counted from 1: never negative, never
  // falling as n grows, never above `max`.
  static absl::Duration Ceiling(const BackoffOptions& options, int n);

 private:
  BackoffOptions options_;
  int retry_ = 0;
  absl::Duration previous_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_BACKOFF_H_
