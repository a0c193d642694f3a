// Is there time for this call's handler?
//
// Work for a caller who has stopped waiting is done for nobody, and under
// overload it is what a server does all day. The answer is wanted at the last
// moment before the handler: a call may have expired in a queue on its way.
//
//   const auto refusal = CheckEntry(time_left, options.minimum_time_left);
//   if (refusal) return RefusalMessage(*refusal, time_left, minimum);
//
// Thread-safety: pure functions.
// Units:         absl::Duration; no deadline is an infinite time left.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_SERVER_ENTRY_CHECK_H_
#define FORBEAR_INTERCEPTORS_SERVER_ENTRY_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/admission/admission_queue.h"
#include "interceptors/telemetry/observer.h"

namespace forbear {

// Why the call should not enter its handler, if it should not: expired when
// nothing is left, doomed when less than `minimum` is.
inline absl::optional<Observer::RefusalReason> CheckEntry(
    absl::Duration time_left, absl::Duration minimum) {
  if (time_left <= absl::ZeroDuration()) {
    return Observer::RefusalReason::kExpired;
  }
  if (time_left < minimum) return Observer::RefusalReason::kDoomed;
  return absl::nullopt;
}

Observer::RefusalReason ReasonFor(AdmissionQueue::Refusal refusal);

// What the caller is told. `queued` is how long the call waited for its turn.
std::string RefusalMessage(Observer::RefusalReason reason,
                           absl::Duration time_left, absl::Duration minimum,
                           absl::Duration queued = absl::ZeroDuration());

// With which code: RESOURCE_EXHAUSTED when the server has too much to do,
// DEADLINE_EXCEEDED when there is no time left for it.
absl::StatusCode RefusalCode(Observer::RefusalReason reason);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_ENTRY_CHECK_H_
