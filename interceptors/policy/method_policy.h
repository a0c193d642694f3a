// Everything that decides about the retries of one method.
//
//   MethodPolicy policy;
//   policy.max_attempts = 3;
//   policy.attempt_timeout = absl::Milliseconds(800);
//   absl::Status valid = policy.Validate("shop.Routes/Estimate: ");
//
// Thread-safety: a value; const members may be called concurrently.
// Units:         absl::Duration throughout; ranges beside each field.
// Errors:        Validate() gives INVALID_ARGUMENT that names the field, the
//                range and the value given.
#ifndef FORBEAR_INTERCEPTORS_POLICY_METHOD_POLICY_H_
#define FORBEAR_INTERCEPTORS_POLICY_METHOD_POLICY_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/hedging.h"
#include "interceptors/policy/status_class.h"

namespace forbear {

// How far a rule is in force: a canary turns it on in steps.
enum class Mode : uint8_t {
  kOff,      // As if it were not there.
  kObserve,  // Counts what it would have done, and does nothing.
  kEnforce,
};

// Whether a method may be applied twice.
enum class Repeatable : uint8_t {
  kUnknown,  // Nobody said. Treated as no, and said once in the log.
  kNo,
  kYes,
};

struct MethodPolicy {
  Mode mode = Mode::kEnforce;

  // Attempts in all, the first included. Range: [1, kUnlimitedAttempts].
  int max_attempts = 4;
  static constexpr int kUnlimitedAttempts = std::numeric_limits<int>::max();

  // The longest that one attempt may take. Range: [1 ms, infinite].
  absl::Duration attempt_timeout = absl::InfiniteDuration();

  // What an attempt gets on top of its timeout while its channel is not
  // connected: connecting must not eat a short timeout. Range: [0, 1 h].
  absl::Duration connect_allowance = absl::Seconds(1);

  // What a call gets that has no deadline, neither its own nor that of the
  // inbound call it is made for. Range: [1 ms, infinite].
  absl::Duration default_deadline = absl::InfiniteDuration();

  // The longest that any call may take; its own deadline holds if it is
  // earlier. Range: [1 ms, infinite].
  absl::Duration max_deadline = absl::InfiniteDuration();

  // An attempt with less time than this is not worth sending.
  // Range: [0, 1 h].
  absl::Duration least_useful_time = absl::Milliseconds(5);

  // What is kept back of an inbound call's time for the handler's own work
  // after this call. Range: [0, 1 h].
  absl::Duration reserve = absl::ZeroDuration();

  BackoffOptions backoff;
  StatusClasses classes;

  // Off by default. Where it is on and the call is a read, it decides about
  // further attempts instead of `max_attempts` and `backoff`.
  HedgingOptions hedging;

  // What the policy says; kUnknown leaves it to `idempotency_level` in the
  // method's .proto.
  Repeatable repeatable = Repeatable::kUnknown;

  // The server applies each `idempotency-key` once. A call that carries a key
  // is then repeatable; one that carries none is given one.
  bool server_honours_keys = false;

  // Whether a call waits while its channel cannot connect, instead of failing
  // at once. A call that says so itself is heard first; unset leaves gRPC's
  // default, which does not wait.
  std::optional<bool> wait_for_ready;

  // Bytes of messages that a streaming call keeps, to send them again to the
  // next attempt. One that sends more is committed to the attempt it has.
  // Range: [0, 64 MiB]; 0 retries no stream that has sent a message.
  int64_t replay_buffer = 256 * 1024;
  static constexpr int64_t kMaxReplayBuffer = 64 * 1024 * 1024;

  // Leaves retrying to the caller of the service that makes this call.
  bool defer = false;

  // The 99th percentile of latency that the server publishes, for checks and
  // documents: nothing waits for it. Range: [0, infinite); 0 is unknown.
  absl::Duration p99 = absl::ZeroDuration();

  // `where` says whose policy it is, and begins the error.
  absl::Status Validate(absl::string_view where = "") const;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_METHOD_POLICY_H_
