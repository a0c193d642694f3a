#include "interceptors/telemetry/recent_quantile.h"

#include <optional>

namespace forbear {

absl::Duration RecentQuantile::Get(absl::Time now) {
  const int64_t at = absl::ToInt64Nanoseconds(now - absl::UnixEpoch());
  int64_t stale_at = stale_at_.load(std::memory_order_relaxed);
  // Whoever moves the mark counts; the others take what there is.
  if (at >= stale_at &&
      stale_at_.compare_exchange_strong(stale_at, at + 100'000'000,
                                        std::memory_order_relaxed)) {
    const std::optional<absl::Duration> quantile =
        sketch_.Quantile(fraction_, now, least_);
    nanos_.store(
        quantile.has_value() ? absl::ToInt64Nanoseconds(*quantile) : kUnknown,
        std::memory_order_relaxed);
  }
  const int64_t nanos = nanos_.load(std::memory_order_relaxed);
  return nanos == kUnknown ? absl::InfiniteDuration()
                           : absl::Nanoseconds(nanos);
}

}  // namespace forbear
