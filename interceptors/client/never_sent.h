// Whether an attempt ended before it reached any connection.
//
// Then it was certainly not applied, whatever the method. gRPC has no flag for
// it, but its debug string tells: an attempt that found nothing to connect to
// says so there, while whatever a peer sent, and whatever happened to a
// connection in use, stands behind "Error received from peer". (peer() does not
// tell: until the answer begins it names the target, sent or not.)
//
//   if (NeverSent(code, context.debug_error_string())) ...
//
// True is a proof only if gRPC's own retries made no other attempt before. What
// is not known for sure is false: an attempt that ran out of time while it was
// connecting, for one. Written against gRPC 1.51.1, whose texts are not a
// promise: ConnectionTest fails by name if they change, and this is then false.
//
// Not part of the library's API.
//
// Thread-safety: a pure function.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_NEVER_SENT_H_
#define FORBEAR_INTERCEPTORS_CLIENT_NEVER_SENT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace forbear {

bool NeverSent(absl::StatusCode code, absl::string_view debug_string);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_NEVER_SENT_H_
