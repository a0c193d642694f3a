// Why a call made no further attempt: every "no" has a name.
//
// The name is a label for counters; the phrase ends the final status message,
// so that whoever reads a log line knows what was tried and why it stopped:
//
//   upstream restarting (forbear: 3 attempts in 412 ms, stopped: budget spent)
//
// Thread-safety: pure functions.
// Units:         elapsed time is printed in whole milliseconds.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_POLICY_VERDICT_H_
#define FORBEAR_INTERCEPTORS_POLICY_VERDICT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace forbear {

enum class Verdict : uint8_t {
  kSucceeded,
  // The gates, in the order in which they are asked.
  kPermanent,         // The failure is not one that passes.
  kRefusedByServer,   // The server's pushback says no.
  kCommitted,         // The application has seen part of the answer.
  kDeferred,          // The policy leaves retrying to the caller.
  kLeftToChannel,     // gRPC's own retries act on the call.
  kNotRepeatable,     // It may have been applied, and must not be twice.
  kAttemptsSpent,     // The policy's number of attempts is used up.
  kDeadlineTooClose,  // No wait and useful attempt fit in the time left.
  kObserved,          // Would have been retried; the mode is observe.
  kBudgetSpent,       // The target's or the process's bucket is empty.
  // The call ended from outside.
  kCancelled,  // By its caller.
  kDeadline,   // The call's own time is up.
};
inline constexpr int kVerdicts = static_cast<int>(Verdict::kDeadline) + 1;

// For counters and tests, such as "budget_spent".
absl::string_view VerdictName(Verdict verdict);
// For people, such as "budget spent".
absl::string_view VerdictPhrase(Verdict verdict);

// True where retrying was possible in principle and was given up: any gate
// after the first, but for kDeferred, which asks the caller to retry,
// kLeftToChannel, whose retries are not known, and kObserved, which changes
// nothing. A handler that fails for such a call's
// reason tells its own caller not to retry either (one retrying layer).
bool GaveUp(Verdict verdict);

// `message` with the suffix that says what was done. A suffix that an inner
// layer left at its end is replaced, if it has exactly our shape. Nothing is
// added where there is nothing to say: a success, or a single attempt that no
// gate after the first held back (kObserved held nothing back).
std::string WithSuffix(absl::string_view message, Verdict verdict, int attempts,
                       absl::Duration elapsed);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_VERDICT_H_
