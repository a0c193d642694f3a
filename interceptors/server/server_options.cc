#include "interceptors/server/server_options.h"

#include "interceptors/policy/range_check.h"

namespace forbear {

absl::Status ServerOptions::Validate() const {
  if (mode != Mode::kOff && mode != Mode::kObserve && mode != Mode::kEnforce) {
    return OutOfRange("ServerOptions.", "mode", static_cast<int>(mode),
                      "[0, 2]");
  }
  if (!(minimum_time_left >= absl::ZeroDuration() &&
        minimum_time_left <= absl::Hours(1))) {
    return OutOfRange("ServerOptions.", "minimum_time_left", minimum_time_left,
                      "[0, 1h]");
  }
  return absl::OkStatus();
}

}  // namespace forbear
