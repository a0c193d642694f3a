#include "interceptors/admission/adaptive_limit.h"

#include <algorithm>
#include <cmath>

#include "interceptors/policy/draw.h"

namespace forbear {
namespace {

constexpr absl::Duration kWindow = absl::Milliseconds(100);
constexpr size_t kEnough = 10;  // Calls that say something.
constexpr size_t kKept = 256;

// The baseline: of so many calls, or of enough within a second, or of what has
// come within five.
constexpr size_t kBaselineCalls = 50;
constexpr absl::Duration kMeasuring = absl::Seconds(1);
constexpr absl::Duration kLongestMeasuring = absl::Seconds(5);
// How long it holds, and up to a tenth longer: servers of one fleet should not
// measure together.
constexpr int64_t kHoldsMs = 60'000;

// Calls may take this much longer than by themselves.
constexpr double kTolerance = 1.25;

}  // namespace

AdaptiveLimit::AdaptiveLimit(int least, int most, absl::Time now)
    : least_(least), most_(most), limit_(least) {
  took_.reserve(kKept);
  Begin(now);
}

void AdaptiveLimit::Begin(absl::Time now) {
  begun_ = now;
  reached_ = false;
  count_ = 0;
  took_.clear();
}

bool AdaptiveLimit::Record(absl::Duration took, int running, absl::Time now,
                           absl::BitGenRef chance) {
  // It started before only few were let in, and took what many take.
  if (measuring_ && now - took < begun_) return false;
  if (took_.size() < kKept) {
    took_.push_back(took);
  } else {
    took_[count_ % kKept] = took;
  }
  ++count_;
  reached_ = reached_ || running >= limit();
  const int before = limit();
  const absl::Duration open = now - begun_;
  if (measuring_) {
    if (count_ >= kBaselineCalls || (count_ >= kEnough && open >= kMeasuring) ||
        open >= kLongestMeasuring) {
      Measured(now, chance);
    }
  } else if (now >= measure_at_) {
    measuring_ = true;
    Begin(now);
  } else if (count_ >= kEnough && open >= kWindow) {
    Adapt();
    Begin(now);
  }
  return limit() != before;
}

absl::Duration AdaptiveLimit::Median() {
  const auto middle = took_.begin() + static_cast<ptrdiff_t>(took_.size() / 2);
  std::nth_element(took_.begin(), middle, took_.end());
  return std::max(*middle, absl::Nanoseconds(1));
}

void AdaptiveLimit::Measured(absl::Time now, absl::BitGenRef chance) {
  baseline_ = Median();
  measuring_ = false;
  measure_at_ =
      now + absl::Milliseconds(DrawWhole(chance, kHoldsMs, kHoldsMs * 11 / 10));
  Begin(now);
}

void AdaptiveLimit::Adapt() {
  const double gradient = std::clamp(
      kTolerance * absl::FDivDuration(baseline_, Median()), 0.5, 2.0);
  const double scaled = gradient * limit_;
  const double wanted =
      std::clamp<double>(scaled + std::sqrt(scaled), least_, most_);
  const int next = static_cast<int>(std::lround(wanted));
  if (next < limit_ || reached_) limit_ = next;
}

}  // namespace forbear
