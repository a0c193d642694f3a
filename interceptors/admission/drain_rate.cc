#include "interceptors/admission/drain_rate.h"

namespace forbear {
namespace {

constexpr int64_t kWindow = 1000000000;
// RecentSum counts the current eighth of its window and the seven before it.
constexpr int64_t kSlot = kWindow / 8;

}  // namespace

int64_t DrainRate::FullTime(absl::Time now) const {
  const absl::Duration current =
      full_ ? now - full_since_ : absl::ZeroDuration();
  return absl::ToInt64Nanoseconds(full_time_ + current);
}

void DrainRate::SetFull(bool full, absl::Time now) {
  if (full == full_) return;
  if (full_) full_time_ += now - full_since_;
  full_ = full;
  full_since_ = now;
}

void DrainRate::Departed(absl::Time now) {
  if (!full_) return;
  departed_.Add(1, FullTime(now));
  if (counted_ < enough_) ++counted_;
}

absl::optional<double> DrainRate::PerSecond(absl::Time now) const {
  const int64_t full = FullTime(now);
  if (full == 0 || (counted_ < enough_ && full < kWindow)) {
    return absl::nullopt;
  }
  const int64_t covered = full < kWindow ? full : 7 * kSlot + full % kSlot;
  return static_cast<double>(departed_.Sum(full)) * 1e9 /
         static_cast<double>(covered);
}

}  // namespace forbear
