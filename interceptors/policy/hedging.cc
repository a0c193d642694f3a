#include "interceptors/policy/hedging.h"

#include <cmath>

#include "interceptors/policy/range_check.h"

namespace forbear {

absl::Status HedgingOptions::Validate(absl::string_view where) const {
  if (max_attempts < 1 || max_attempts > 5) {
    return OutOfRange(where, "max_attempts", max_attempts, "[1, 5]");
  }
  if (!(delay >= absl::ZeroDuration() && delay <= absl::Hours(1))) {
    return OutOfRange(where, "delay", delay, "[0, 1h]");
  }
  if (percentile != 0 && !(percentile >= 0.5 && percentile <= 0.999)) {
    return OutOfRange(where, "percentile", percentile, "0 or [0.5, 0.999]");
  }
  if (least_measured < 1 || least_measured > 1'000'000) {
    return OutOfRange(where, "least_measured", least_measured, "[1, 1000000]");
  }
  const double thousandths = cap * 1000;
  if (!(cap >= 0 && cap <= 4) ||
      std::abs(thousandths - std::round(thousandths)) > 1e-6) {
    return OutOfRange(where, "cap", cap, "[0, 4] in thousandths");
  }
  return absl::OkStatus();
}

}  // namespace forbear
