#include "interceptors/server/inbound.h"

#include <grpc/support/time.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "interceptors/context/derived_key.h"

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

absl::Status InboundKey::Fault() const {
  if (seen_ != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "idempotency-key came ", seen_, " times; send one, or none"));
  }
  if (value_.empty() || value_.size() > kLongestKey) {
    return absl::InvalidArgumentError(
        absl::StrCat("idempotency-key has ", value_.size(),
                     " bytes; send 1 to ", kLongestKey));
  }
  if (!std::all_of(value_.begin(), value_.end(),
                   [](unsigned char c) { return absl::ascii_isgraph(c); })) {
    return absl::InvalidArgumentError(
        "idempotency-key has bytes that are not visible ASCII; send none");
  }
  return absl::OkStatus();
}

}  // namespace forbear
