#include "interceptors/policy/backoff.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "interceptors/policy/draw.h"
#include "interceptors/policy/range_check.h"

namespace forbear {
namespace {

constexpr absl::string_view kJitterNames[] = {
    "none", "full", "equal", "decorrelated", "proportional",
};

}  // namespace

absl::string_view JitterName(Jitter jitter) {
  return kJitterNames[static_cast<int>(jitter)];
}

absl::Status BackoffOptions::Validate(absl::string_view where) const {
  if (!(initial > absl::ZeroDuration() && initial <= absl::Hours(1))) {
    return OutOfRange(where, "initial", initial, "(0, 1h]");
  }
  if (!(multiplier >= 1 && multiplier <= 1e9)) {
    return OutOfRange(where, "multiplier", multiplier, "[1, 1e9]");
  }
  const std::string from_initial = absl::FormatDuration(initial);
  if (!(max >= initial && max <= absl::Hours(24))) {
    return OutOfRange(where, "max", max,
                      absl::StrCat("[", from_initial, ", 24h]"));
  }
  if (!(resolution >= absl::Microseconds(1) && resolution <= initial)) {
    return OutOfRange(where, "resolution", resolution,
                      absl::StrCat("[1us, ", from_initial, "]"));
  }
  return absl::OkStatus();
}

Backoff::Backoff(const BackoffOptions& options)
    : options_(options), previous_(options.initial) {}

absl::Duration Backoff::Next(absl::BitGenRef chance) {
  if (retry_ < std::numeric_limits<int>::max()) ++retry_;
  const absl::Duration unit = options_.resolution;
  const int64_t c = Ceiling(options_, retry_) / unit;
  int64_t wait = c;
  switch (options_.jitter) {
    case Jitter::kNone:
      break;
    case Jitter::kFull:
      wait = DrawWhole(chance, 0, c);
      break;
    case Jitter::kEqual:
      wait = c / 2 + DrawWhole(chance, 0, c / 2);
      break;
    case Jitter::kDecorrelated: {
      const int64_t initial = options_.initial / unit;
      const int64_t high = std::max(initial, 3 * (previous_ / unit));
      wait = std::min<int64_t>(options_.max / unit,
                               DrawWhole(chance, initial, high));
      break;
    }
    case Jitter::kProportional:
      // Inwards on both sides: no wait is under 0.8 c or over 1.2 c.
      wait = DrawWhole(chance, (4 * c + 4) / 5, 6 * c / 5);
      break;
  }
  previous_ = wait * unit;
  return previous_;
}

void Backoff::Reset() {
  retry_ = 0;
  previous_ = options_.initial;
}

absl::Duration Backoff::Ceiling(const BackoffOptions& options, int n) {
  // A double overflows to infinity, which is above every `max`.
  const double nanos = absl::ToDoubleNanoseconds(options.initial) *
                       std::pow(options.multiplier, n - 1);
  const absl::Duration ceiling = nanos < absl::ToDoubleNanoseconds(options.max)
                                     ? absl::Nanoseconds(std::llround(nanos))
                                     : options.max;
  return absl::Trunc(ceiling, options.resolution);
}

}  // namespace forbear
