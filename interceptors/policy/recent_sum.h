// What was added within the last window of time: never more, and never less
// than what was added within seven eighths of it.
//
// Time is cut into slots of an eighth of the window. The current slot counts
// with the seven before it; a slot is dropped once its beginning could have
// left the window.
//
//   RecentSum earned(absl::Seconds(1));
//   earned.Add(100, elapsed);
//   earned.Sum(elapsed + absl::Milliseconds(875));   // 100.
//   earned.Sum(elapsed + absl::Seconds(1));          // 0.
//
// Thread-safety: safe for concurrent use; no member blocks, locks or allocates.
// Units:         `elapsed` is nanoseconds since any beginning, 0 or more. Time
//                only goes forward: an `elapsed` in a slot before the latest
//                that was added to counts as that slot.
// Errors:        none. More than 2^32 - 1 in one slot is counted as that.
#ifndef FORBEAR_INTERCEPTORS_POLICY_RECENT_SUM_H_
#define FORBEAR_INTERCEPTORS_POLICY_RECENT_SUM_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "absl/time/time.h"

namespace forbear {

class RecentSum {
 public:
  // A window of 0 counts nothing.
  explicit RecentSum(absl::Duration window);

  void Add(int64_t amount, int64_t elapsed);
  int64_t Sum(int64_t elapsed) const;

 private:
  static constexpr int kSlots = 8;

  const int64_t slot_nanos_;
  std::atomic<int64_t> latest_slot_{0};
  // Each holds a slot's number (modulo 2^32) above its sum.
  std::array<std::atomic<uint64_t>, kSlots> slots_{};
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_RECENT_SUM_H_
