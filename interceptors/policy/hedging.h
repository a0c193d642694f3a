// When a call is sent again before its first attempt has answered.
//
// A few answers are slow because of where the call landed: a queue, a garbage
// collection, a lost packet. A second attempt, sent once the first is later
// than most, cuts that tail for a few per cent of load ("The Tail at Scale",
// Dean and Barroso, 2013). The first good answer wins; the rest are cancelled.
//
//   policy.hedging.max_attempts = 2;
//   policy.hedging.percentile = 0.95;            // Later than 95 % are, or
//   policy.hedging.delay = absl::Milliseconds(20);  // than this at least.
//
// What gRFC A6 calls a hedgingPolicy. A method retries or hedges, as there:
// - A hedged call makes `max_attempts` attempts of these options in all. A
//   failure that may pass brings the next one forward, without any backoff;
//   MethodPolicy's own `max_attempts` and `backoff` are for calls not hedged.
// - Any other failure ends the call. When every attempt has failed and no more
//   may start, the call ends, too.
// - A pushback moves the next attempt to the instant it names, or allows none.
//   google.rpc.RetryInfo does the same.
// - Every attempt after the first spends from the budgets. One sent while
//   another is under way is a hedge, and spends from `cap` as well. One that is
//   not allowed is not sent; the call goes on without it.
//
// Only reads are hedged: a loser may be applied after the call has ended, and
// so after the caller's next write. `idempotency_level` IDEMPOTENT promises
// that twice is as good as once, not that late is as good as early; so it must
// be NO_SIDE_EFFECTS, or the policy must say `assume_read`. A policy with
// Repeatable::kNo, with `defer`, or not enforced, does not hedge.
//
// Thread-safety: a value.
// Units:         Durations; `percentile` and `cap` are fractions of calls.
// Errors:        Validate() gives INVALID_ARGUMENT that names the field, the
//                range and the value given.
#ifndef FORBEAR_INTERCEPTORS_POLICY_HEDGING_H_
#define FORBEAR_INTERCEPTORS_POLICY_HEDGING_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace forbear {

struct HedgingOptions {
  // Attempts in all, the first included; 1 is off. Range: [1, 5].
  int max_attempts = 1;

  // How long after an attempt the next is sent, if none has answered. 0: all
  // at once. With a percentile, the least that the delay may be.
  // Range: [0, 1 h].
  absl::Duration delay = absl::ZeroDuration();

  // The delay is what this fraction of the method's calls took at most, of
  // late. 0: `delay` alone. Range: 0, or [0.5, 0.999].
  double percentile = 0;

  // Until as many calls were measured there is no such delay, and no hedge but
  // after a failure. Range: [1, 1000000].
  int least_measured = 100;

  // Hedges per call of the method, at most. Range: [0, 4], whole thousandths.
  double cap = 0.05;

  // The method only reads, whatever its .proto says or leaves out: the word of
  // whoever writes the policy.
  bool assume_read = false;

  bool enabled() const { return max_attempts > 1; }

  // `where` prefixes the field's name in the error, such as "hedging.".
  absl::Status Validate(absl::string_view where = "") const;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_HEDGING_H_
