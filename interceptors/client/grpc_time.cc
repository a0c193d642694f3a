#include "interceptors/client/grpc_time.h"

namespace forbear {
namespace {

absl::Duration Lag(absl::Duration time) {
  if (time >= absl::Seconds(1)) return absl::Milliseconds(5);
  if (time >= absl::Milliseconds(200)) return absl::Milliseconds(1);
  return absl::ZeroDuration();
}

}  // namespace

absl::Time FromGrpc(gpr_timespec deadline, absl::Time now) {
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) {
    return absl::InfiniteFuture();
  }
  if (deadline.clock_type == GPR_CLOCK_MONOTONIC) {
    return absl::UnixEpoch() + absl::Seconds(deadline.tv_sec) +
           absl::Nanoseconds(deadline.tv_nsec);
  }
  const gpr_timespec left =
      deadline.clock_type == GPR_TIMESPAN
          ? deadline
          : gpr_time_sub(deadline, gpr_now(deadline.clock_type));
  return now + absl::Seconds(left.tv_sec) + absl::Nanoseconds(left.tv_nsec);
}

gpr_timespec ToGrpc(absl::Time instant) {
  if (instant == absl::InfiniteFuture()) {
    return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  }
  // SteadyNow() and gRPC's monotonic clock are the same clock of the system.
  const timespec spec = absl::ToTimespec(instant);
  gpr_timespec result;
  result.tv_sec = spec.tv_sec;
  result.tv_nsec = static_cast<int32_t>(spec.tv_nsec);
  result.clock_type = GPR_CLOCK_MONOTONIC;
  return result;
}

gpr_timespec AfterNow(absl::Duration time, absl::Time now) {
  // gRPC rounds the deadline up to a millisecond of its own count.
  return ToGrpc(now + time - Lag(time) - absl::Microseconds(999));
}

bool RanOut(absl::Duration time, absl::Duration elapsed) {
  // Timers count in milliseconds, and may be early by one.
  return elapsed + Lag(time) + absl::Milliseconds(2) >= time;
}

}  // namespace forbear
