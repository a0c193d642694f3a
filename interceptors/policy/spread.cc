#include "interceptors/policy/spread.h"

#include <algorithm>
#include <cstdint>

#include "interceptors/policy/draw.h"

namespace forbear {
namespace {

// Bounded, so that a draw is exact and no sum overflows.
int64_t Micros(absl::Duration duration) {
  constexpr absl::Duration kMost = absl::Hours(24 * 365);
  return absl::ToInt64Microseconds(
      std::clamp(duration, absl::ZeroDuration(), kMost));
}

}  // namespace

absl::Time JitteredPeriod(absl::Time last, absl::Duration period,
                          absl::BitGenRef chance) {
  const int64_t whole = Micros(period);
  return last +
         absl::Microseconds(DrawWhole(chance, whole / 2, whole / 2 + whole));
}

std::vector<Batch> SpreadBatches(size_t items, size_t batch,
                                 absl::Duration window,
                                 absl::BitGenRef chance) {
  batch = std::max<size_t>(batch, 1);
  const size_t count = items / batch + (items % batch == 0 ? 0 : 1);
  const int64_t whole = Micros(window);
  std::vector<Batch> batches(count);
  for (size_t i = 0; i < count; ++i) {
    // In doubles, since whole x count may overflow; the parts still meet.
    const auto part = [&](size_t n) {
      return static_cast<int64_t>(static_cast<double>(whole) *
                                  static_cast<double>(n) /
                                  static_cast<double>(count));
    };
    const int64_t first = part(i);
    const int64_t last = std::max(first, part(i + 1) - 1);
    batches[i].after = absl::Microseconds(DrawWhole(chance, first, last));
    batches[i].begin = i * batch;
    batches[i].end = i * batch + std::min(items - i * batch, batch);
  }
  return batches;
}

}  // namespace forbear
