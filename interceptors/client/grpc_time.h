// Between gRPC's instants and ours.
//
// A ClientContext carries an instant of the system clock, which somebody may
// set; gRPC itself turns it into one of the steady clock when the call starts.
// We do so once, at the same moment, and measure on the steady clock only.
//
//   absl::Time deadline = FromGrpc(context.raw_deadline(), SteadyNow());
//   context.set_deadline(AfterNow(absl::Milliseconds(800), SteadyNow()));
//
// Thread-safety: pure functions but for one look at gRPC's clock.
// Units:         instants of SteadyNow().
// Errors:        none; gRPC's infinities become absl's, and back.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_GRPC_TIME_H_
#define FORBEAR_INTERCEPTORS_CLIENT_GRPC_TIME_H_

#include <grpc/support/time.h>

#include "absl/time/time.h"

namespace forbear {

absl::Time FromGrpc(gpr_timespec deadline, absl::Time now);

// The deadline of an attempt that is given `time`, a whole number of
// milliseconds that the wire can say. gRPC counts in milliseconds of its own
// and looks at a clock that may lag by one, so the header would now and then
// say one too many, which above a second is rounded up by tens or hundreds. A
// hair less, or a millisecond and a hair from 100 ms on, makes it right.
gpr_timespec AfterNow(absl::Duration time, absl::Time now);

// An instant of SteadyNow() for a timer, which may be a millisecond late.
gpr_timespec ToGrpc(absl::Time instant);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_GRPC_TIME_H_
