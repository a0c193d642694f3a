// A deadline for gRPC, said as the time until then.
//
//   context.set_deadline(shop::FromNow(absl::Milliseconds(800)));
//
// Thread-safety: a pure function: gRPC reads the clock when the call starts.
// Units:         absl::Duration, in whole microseconds.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_SHOP_FROM_NOW_H_
#define FORBEAR_EXAMPLES_SHOP_FROM_NOW_H_

#include <grpc/support/time.h>

#include "absl/time/time.h"

namespace shop {

inline gpr_timespec FromNow(absl::Duration time) {
  return gpr_time_from_micros(absl::ToInt64Microseconds(time), GPR_TIMESPAN);
}

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SHOP_FROM_NOW_H_
