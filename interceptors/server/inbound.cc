#include "interceptors/server/inbound.h"

#include <grpc/support/time.h>

namespace forbear {

absl::Time InboundDeadline(const grpc::ServerContextBase& context,
                           absl::Time now) {
  const gpr_timespec deadline = context.raw_deadline();
  const gpr_clock_type clock = deadline.clock_type;
  if (gpr_time_cmp(deadline, gpr_inf_future(clock)) == 0) {
    return absl::InfiniteFuture();
  }
  // gRPC's monotonic clock is the steady clock: servers get no other.
  const bool steady = clock == GPR_CLOCK_MONOTONIC;
  const gpr_timespec since =
      steady ? deadline : gpr_time_sub(deadline, gpr_now(clock));
  return (steady ? absl::UnixEpoch() : now) + absl::Seconds(since.tv_sec) +
         absl::Nanoseconds(since.tv_nsec);
}

}  // namespace forbear
