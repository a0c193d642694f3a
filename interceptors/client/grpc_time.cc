#include "interceptors/client/grpc_time.h"

namespace forbear {

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
  const bool long_enough = time >= absl::Milliseconds(100);
  return ToGrpc(now + time - absl::Microseconds(long_enough ? 1999 : 999));
}

}  // namespace forbear
