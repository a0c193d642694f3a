#include "interceptors/admission/queue_options.h"

#include "interceptors/policy/range_check.h"

namespace forbear {

absl::Status QueueOptions::Validate(absl::string_view where) const {
  if (!(target >= absl::Milliseconds(1) && target <= absl::Seconds(10))) {
    return OutOfRange(where, "target", target, "[1ms, 10s]");
  }
  if (!(max_time >= absl::Milliseconds(1) && max_time <= absl::Hours(1))) {
    return OutOfRange(where, "max_time", max_time, "[1ms, 1h]");
  }
  if (max_calls < 0 || max_calls > 1000000) {
    return OutOfRange(where, "max_calls", max_calls, "[0, 1000000]");
  }
  return absl::OkStatus();
}

}  // namespace forbear
