// A whole number drawn from a range, each as likely as the next.
//
// This rule and not absl::Uniform, because absl's may change between versions,
// and published figures may not: lo + floor(f x (hi - lo + 1)), where f is the
// 53 bits that a double holds exactly.
//
//   int64_t wait_ms = DrawWhole(bitgen, 0, 100);   // 0, 1, ... or 100.
//
// Thread-safety: as that of `chance`.
// Units:         none.
// Errors:        none; lo <= hi, and fewer than 2^53 numbers in the range.
#ifndef FORBEAR_INTERCEPTORS_POLICY_DRAW_H_
#define FORBEAR_INTERCEPTORS_POLICY_DRAW_H_

#include <cstdint>

#include "absl/random/bit_gen_ref.h"

namespace forbear {

inline int64_t DrawWhole(absl::BitGenRef chance, int64_t lo, int64_t hi) {
  const double fraction = static_cast<double>(chance() >> 11) * 0x1p-53;
  return lo + static_cast<int64_t>(fraction * static_cast<double>(hi - lo + 1));
}

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_DRAW_H_
