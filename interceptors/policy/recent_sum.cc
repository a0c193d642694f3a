#include "interceptors/policy/recent_sum.h"

#include <algorithm>
#include <limits>

namespace forbear {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
uint32_t Number(uint64_t slot) { return static_cast<uint32_t>(slot >> 32); }
uint64_t Amount(uint64_t slot) { return slot & kMost; }

// A number that is ahead by less than this was written by a thread that
// overtook us; any other is an old one, since numbers wrap.
constexpr uint32_t kOvertaken = 1 << 16;

}  // namespace

RecentSum::RecentSum(absl::Duration window)
    : slot_nanos_(window / absl::Nanoseconds(kSlots)) {}

void RecentSum::Add(int64_t amount, int64_t elapsed) {
  if (slot_nanos_ == 0) return;
  const int64_t slot = elapsed / slot_nanos_;
  int64_t latest = latest_slot_.load();
  while (latest < slot && !latest_slot_.compare_exchange_weak(latest, slot)) {
  }
  const uint32_t number = static_cast<uint32_t>(std::max(latest, slot));
  std::atomic<uint64_t>& place = slots_[number % kSlots];
  uint64_t old = place.load();
  uint64_t updated;
  do {
    const uint32_t ahead = Number(old) - number;
    if (ahead != 0 && ahead < kOvertaken) return;  // Out of the window by now.
    const uint64_t sum = (ahead == 0 ? Amount(old) : 0) + amount;
    updated = uint64_t{number} << 32 | std::min(sum, kMost);
  } while (!place.compare_exchange_weak(old, updated));
}

int64_t RecentSum::Sum(int64_t elapsed) const {
  if (slot_nanos_ == 0) return 0;
  const int64_t slot = std::max(elapsed / slot_nanos_, latest_slot_.load());
  const uint64_t oldest = static_cast<uint64_t>(slot - (kSlots - 1)) << 32;
  int64_t sum = 0;
  for (const std::atomic<uint64_t>& place : slots_) {
    const uint64_t held = place.load();
    // The difference of their numbers, above the amount: wraps as they do.
    const bool counts = held - oldest < uint64_t{kSlots} << 32;
    sum += counts ? static_cast<int64_t>(Amount(held)) : 0;
  }
  return sum;
}

}  // namespace forbear
