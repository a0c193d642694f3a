// Refusals of calls whose requests nobody has read.
//
// gRPC reads a request before it knows of a handler; whoever refuses the call
// at that point can only give a status, which the handler's turn finds again.
//
//   *status = RefusedAtTheDoor(absl::Milliseconds(120));
//   ...
//   if (auto pushback = PushbackAtTheDoor(param.status)) ...
//
// Thread-safety: pure functions.
// Units:         whole milliseconds.
// Errors:        none; null for any other status.
#ifndef FORBEAR_INTERCEPTORS_SERVER_DOOR_H_
#define FORBEAR_INTERCEPTORS_SERVER_DOOR_H_

#include <grpcpp/support/status.h>

#include "absl/time/time.h"
#include "absl/types/optional.h"

namespace forbear {

grpc::Status RefusedAtTheDoor(absl::Duration pushback);
absl::optional<absl::Duration> PushbackAtTheDoor(const grpc::Status& status);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_DOOR_H_
