#include "interceptors/policy/method_policy.h"

#include "absl/strings/str_cat.h"
#include "interceptors/policy/range_check.h"

namespace forbear {
namespace {

// Less than this cannot be said to a server (see wire_timeout.h).
bool IsTimeout(absl::Duration time) { return time >= absl::Milliseconds(1); }

bool IsAllowance(absl::Duration time) {
  return time >= absl::ZeroDuration() && time <= absl::Hours(1);
}

}  // namespace

absl::Status MethodPolicy::Validate(absl::string_view where) const {
  if (max_attempts < 1) {
    return OutOfRange(where, "max_attempts", max_attempts, "[1, unlimited]");
  }
  if (!IsTimeout(attempt_timeout)) {
    return OutOfRange(where, "attempt_timeout", attempt_timeout, "[1ms, inf]");
  }
  if (!IsAllowance(connect_allowance)) {
    return OutOfRange(where, "connect_allowance", connect_allowance, "[0, 1h]");
  }
  if (!IsTimeout(default_deadline)) {
    return OutOfRange(where, "default_deadline", default_deadline,
                      "[1ms, inf]");
  }
  if (!IsTimeout(max_deadline)) {
    return OutOfRange(where, "max_deadline", max_deadline, "[1ms, inf]");
  }
  if (!IsAllowance(least_useful_time)) {
    return OutOfRange(where, "least_useful_time", least_useful_time, "[0, 1h]");
  }
  if (!IsAllowance(reserve)) {
    return OutOfRange(where, "reserve", reserve, "[0, 1h]");
  }
  if (replay_buffer < 0 || replay_buffer > kMaxReplayBuffer) {
    return OutOfRange(where, "replay_buffer",
                      static_cast<double>(replay_buffer), "[0, 67108864]");
  }
  if (!(p99 >= absl::ZeroDuration() && p99 < absl::InfiniteDuration())) {
    return OutOfRange(where, "p99", p99, "[0, inf)");
  }
  absl::Status status = backoff.Validate(absl::StrCat(where, "backoff."));
  if (!status.ok()) return status;
  return hedging.Validate(absl::StrCat(where, "hedging."));
}

}  // namespace forbear
