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
// milliseconds that the wire can say. gRPC writes the header by a clock that
// lags by some milliseconds when it is busy, and rounds up what it then finds,
// above a second by tens or hundreds. So it is given a little less, by half a
// per cent at most from 200 ms on, and says `time` where it would say more.
gpr_timespec AfterNow(absl::Duration time, absl::Time now);

// Whether an attempt that was given `time`, and ended with DEADLINE_EXCEEDED
// `elapsed` after its start, ran into its own deadline.
bool RanOut(absl::Duration time, absl::Duration elapsed);

// An instant of SteadyNow() for a timer, which may be a millisecond late.
gpr_timespec ToGrpc(absl::Time instant);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_GRPC_TIME_H_
