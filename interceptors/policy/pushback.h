// What a server said about when, or whether, to come back.
//
// Two conventions exist: gRPC's trailer `grpc-retry-pushback-ms` (gRFC A6)
// and google.rpc.RetryInfo inside `grpc-status-details-bin`. The trailer is an
// exact wait, or a no; RetryInfo is a least wait. With both, the trailer rules.
//
//   Pushback said = ReadPushback({"250"}, status_details);
//   said.kind == Pushback::Kind::kWait && said.delay == absl::Milliseconds(250)
//
// A pushback is about timing. It does not prove that the call was not applied.
//
// Thread-safety: pure functions over values.
// Units:         the trailer counts whole milliseconds; Durations here.
// Errors:        none. A malformed trailer (negative, not a number, a
//                fraction, empty, repeated, above int32) means no retry, as
//                gRFC A6 says. Broken details are ignored.
#ifndef FORBEAR_INTERCEPTORS_POLICY_PUSHBACK_H_
#define FORBEAR_INTERCEPTORS_POLICY_PUSHBACK_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace forbear {

// The trailer's key.
inline constexpr absl::string_view kPushbackKey = "grpc-retry-pushback-ms";

struct Pushback {
  enum class Kind : uint8_t {
    kAbsent,   // Nothing was said: our own backoff.
    kWait,     // Exactly `delay`; our backoff then starts over.
    kAtLeast,  // Our own backoff, but no less than `delay`.
    kRefused,  // Do not come back.
  };
  Kind kind = Kind::kAbsent;
  absl::Duration delay = absl::ZeroDuration();
};

// `trailer_values` are all values of kPushbackKey, in the order received;
// `status_details` is the value of `grpc-status-details-bin`, or empty.
Pushback ReadPushback(absl::Span<const absl::string_view> trailer_values,
                      absl::string_view status_details);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_PUSHBACK_H_
