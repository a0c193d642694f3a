#include "interceptors/admission/drain_rate.h"

#include <algorithm>

namespace forbear {
namespace {

constexpr int64_t kWindow = 1000000000;
// RecentSum counts the current eighth of its window and the seven before it.
constexpr int64_t kSlot = kWindow / 8;

// A second with fewer departures than this says little.
constexpr size_t kFew = 8;

}  // namespace

DrainRate::DrainRate(int enough)
    : enough_(enough), few_(std::max(enough_, kFew)) {}

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
  const int64_t full = FullTime(now);
  departed_.Add(1, full);
  last_.push_back(full);
  if (last_.size() > few_ + 1) last_.pop_front();
}

absl::optional<double> DrainRate::PerSecond(absl::Time now) const {
  if (last_.size() <= enough_) return absl::nullopt;
  const int64_t full = FullTime(now);
  const int64_t in_window = departed_.Sum(full);
  if (in_window >= static_cast<int64_t>(few_)) {
    const int64_t covered = full < kWindow ? full : 7 * kSlot + full % kSlot;
    return static_cast<double>(in_window) * 1e9 / static_cast<double>(covered);
  }
  return static_cast<double>(last_.size() - 1) * 1e9 /
         static_cast<double>(std::max<int64_t>(1, full - last_.front()));
}

}  // namespace forbear
