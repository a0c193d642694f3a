#include "interceptors/telemetry/latency_sketch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace forbear {
namespace {

constexpr int64_t kShortest = 1'000;             // Nanoseconds,
constexpr int64_t kLongest = 3'600'000'000'000;  // ... an hour of them.
constexpr int kBits = 6;                         // 64 buckets to a power of 2.

// Of a window's number.
constexpr int64_t kNever = std::numeric_limits<int64_t>::min();
constexpr int64_t kBeingWiped = std::numeric_limits<int64_t>::max();

// The power of two below, and the six bits after the leading one.
constexpr int Position(int64_t nanos) {
  const int power = 63 - __builtin_clzll(static_cast<uint64_t>(nanos));
  return (power << kBits) +
         static_cast<int>((nanos >> (power - kBits)) & ((1 << kBits) - 1));
}

constexpr int kFirst = Position(kShortest);

int BucketOf(absl::Duration latency) {
  return Position(std::clamp(absl::ToInt64Nanoseconds(latency), kShortest,
                             kLongest)) -
         kFirst;
}

// The middle of a bucket: off by half of its width at most.
absl::Duration MiddleOf(int bucket) {
  const int position = bucket + kFirst;
  const int shift = (position >> kBits) - kBits;
  const int64_t lowest = int64_t{(1 << kBits) | (position & ((1 << kBits) - 1))}
                         << shift;
  return absl::Nanoseconds(lowest) + absl::Nanoseconds(int64_t{1} << shift) / 2;
}

}  // namespace

LatencySketch::LatencySketch(absl::Duration window)
    : window_nanos_(absl::ToInt64Nanoseconds(window)) {
  static_assert(Position(kLongest) - kFirst + 1 == kBuckets,
                "the buckets span the range");
  assert(window >= absl::Milliseconds(1));
  for (Window& each : windows_) {
    each.number = kNever;
    for (std::atomic<uint32_t>& count : each.counts) count = 0;
  }
}

void LatencySketch::Record(absl::Duration latency, absl::Time now) {
  Window* const window = Open(NumberAt(now));
  if (window == nullptr) return;
  window->counts[BucketOf(latency)].fetch_add(1, std::memory_order_relaxed);
}

std::optional<absl::Duration> LatencySketch::Quantile(double fraction,
                                                      absl::Time now,
                                                      int64_t least) const {
  const int64_t number = NumberAt(now);
  std::array<int64_t, kBuckets> counts{};
  int64_t total = 0;
  for (const Window& window : windows_) {
    if (!Counts(window, number)) continue;
    for (int i = 0; i < kBuckets; ++i) {
      const int64_t count = window.counts[i].load(std::memory_order_relaxed);
      counts[i] += count;
      total += count;
    }
  }
  if (total == 0 || total < least) return std::nullopt;
  const double wanted = std::ceil(fraction * static_cast<double>(total));
  int64_t left = std::clamp(static_cast<int64_t>(wanted), int64_t{1}, total);
  int bucket = 0;
  while ((left -= counts[bucket]) > 0) ++bucket;
  return MiddleOf(bucket);
}

int64_t LatencySketch::Count(absl::Time now) const {
  const int64_t number = NumberAt(now);
  int64_t total = 0;
  for (const Window& window : windows_) {
    if (!Counts(window, number)) continue;
    for (const std::atomic<uint32_t>& count : window.counts) {
      total += count.load(std::memory_order_relaxed);
    }
  }
  return total;
}

int64_t LatencySketch::NumberAt(absl::Time now) const {
  return absl::ToInt64Nanoseconds(now - absl::UnixEpoch()) / window_nanos_;
}

LatencySketch::Window* LatencySketch::Open(int64_t number) {
  Window& window = windows_[static_cast<uint64_t>(number) % windows_.size()];
  int64_t seen = window.number.load(std::memory_order_acquire);
  if (seen == number) return &window;
  if (seen > number) return nullptr;
  // One of those who come first wipes it; the others leave theirs out.
  if (!window.number.compare_exchange_strong(seen, kBeingWiped,
                                             std::memory_order_acq_rel)) {
    return nullptr;
  }
  for (std::atomic<uint32_t>& count : window.counts) {
    count.store(0, std::memory_order_relaxed);
  }
  window.number.store(number, std::memory_order_release);
  return &window;
}

bool LatencySketch::Counts(const Window& window, int64_t now) {
  const int64_t number = window.number.load(std::memory_order_acquire);
  return number == now || number == now - 1;
}

}  // namespace forbear
