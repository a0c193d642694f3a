// How much time a `grpc-timeout` header can say exactly.
//
// gRPC writes a timeout with about three digits and rounds it up: 12,345 ms
// leaves as 12,400 ms, and the callee believes it has 55 ms more than its
// caller. An attempt's time is rounded down to what the wire can say, so that
// a callee never has more time than its caller.
//
//   RoundDownToWire(absl::Milliseconds(12345)) == absl::Milliseconds(12300)
//
// Thread-safety: a pure function.
// Units:         below 1 s whole milliseconds, below 10 s tens, below 100 s
//                hundreds, then seconds, ten seconds, and so on.
// Errors:        none; zero and less give zero, infinity stays infinity.
#ifndef FORBEAR_INTERCEPTORS_POLICY_WIRE_TIMEOUT_H_
#define FORBEAR_INTERCEPTORS_POLICY_WIRE_TIMEOUT_H_

#include "absl/time/time.h"

namespace forbear {

absl::Duration RoundDownToWire(absl::Duration time);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_WIRE_TIMEOUT_H_
