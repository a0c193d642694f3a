// What kind of failure a status is: the first question asked of every one.
//
// A status code alone does not say whether another attempt could help. The
// table below maps each code to a class; a policy may change any entry.
//
//   StatusClasses classes;                             // The safe defaults.
//   classes.Set(absl::StatusCode::kInternal, StatusClass::kTransient);
//   classes.Of(absl::StatusCode::kUnavailable);        // kTransient
//
// Thread-safety: a value; const members may be called concurrently.
// Units:         none.
// Errors:        none; a code outside the known 0 to 16 is treated as UNKNOWN.
#ifndef FORBEAR_INTERCEPTORS_POLICY_STATUS_CLASS_H_
#define FORBEAR_INTERCEPTORS_POLICY_STATUS_CLASS_H_

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace forbear {

enum class StatusClass : uint8_t {
  // The answer is an answer: another attempt would get the same one.
  kPermanent,
  // May pass by itself. Retried if repeatable, or known not to be applied.
  kTransient,
  // The server is short of something. Retried only when it said when.
  kThrottled,
  // The attempt ran out of time: the work may have happened. Retried only if
  // repeatable, or known not to be applied.
  kUnknownOutcome,
  // Lost a race with another writer: read again, then make a new call.
  kConflict,
  // A fault that nobody can interpret. Not retried unless a policy names the
  // code, by giving it another class.
  kAmbiguous,
  // The operator listed the code (as in a gRPC service config): the failure
  // may pass, and the method may be repeated on it.
  kListed,
};

class StatusClasses {
 public:
  // UNAVAILABLE is transient, RESOURCE_EXHAUSTED throttled, DEADLINE_EXCEEDED
  // of unknown outcome, ABORTED a conflict, UNKNOWN and INTERNAL ambiguous,
  // every other code permanent. AIP-194 retries UNAVAILABLE alone, too.
  // (DEADLINE_EXCEEDED as a server sends it: an attempt that ran out of its own
  // time is of unknown outcome under any table.)
  StatusClasses();

  StatusClass Of(absl::StatusCode code) const;

  // OK has no class: setting it is ignored.
  void Set(absl::StatusCode code, StatusClass value);

  // Makes the listed codes retryable on the operator's word and every other
  // code permanent: the meaning of `retryableStatusCodes` (gRFC A6).
  void List(absl::Span<const absl::StatusCode> codes);

  friend bool operator==(const StatusClasses& a, const StatusClasses& b) {
    return a.classes_ == b.classes_;
  }

 private:
  static constexpr int kCodes = 17;
  std::array<StatusClass, kCodes> classes_;
};

// The name as documents write it, such as "transient".
absl::string_view StatusClassName(StatusClass value);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_STATUS_CLASS_H_
