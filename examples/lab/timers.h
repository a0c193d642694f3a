// Part 5, timers: herds that are no retries.
//
// A fleet that was deployed together runs its once-a-minute job together; a
// sweep puts every failed order back at two in the morning.
//
//   BusiestOfFleet(Timing::kTogether);   // All 1,000 in the same 100 ms.
//   BusiestOfFleet(Timing::kSpread);
//
// Thread-safety: pure functions.
// Units:         runs, or orders, in the busiest 100 ms.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_TIMERS_H_
#define FORBEAR_EXAMPLES_LAB_TIMERS_H_

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace lab {

inline constexpr int kProcesses = 1'000;
inline constexpr absl::Duration kPeriod = absl::Minutes(1);
inline constexpr absl::Duration kWatched = absl::Minutes(10);

inline constexpr size_t kOrders = 2'000;
inline constexpr size_t kBatch = 20;
inline constexpr absl::Duration kSweep = absl::Minutes(5);

enum class Timing : uint8_t {
  kTogether,
  kSpread,  // With JitteredPeriod, or SpreadBatches.
};

int BusiestOfFleet(Timing timing);
int BusiestOfSweep(Timing timing);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_TIMERS_H_
