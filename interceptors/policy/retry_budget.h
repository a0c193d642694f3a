// A process-wide allowance for retries.
//
// Every first attempt earns a fraction of a retry; every retry spends a whole
// one. While calls succeed the balance stays at its ceiling and nobody notices.
// When a backend fails for everyone, the balance runs dry and the process stops
// multiplying load on it.
//
//   RetryBudget budget(options, now);
//   budget.CallStarted(now);                 // Earn.
//   if (budget.TrySpend(now)) SendAgain();   // Try to spend.
//   budget.Balance(now);                     // Look.
//
// A bucket follows one of two rules. kRatio is ours (the SRE book's per-client
// budget, with Finagle's floor): it looks at calls. kThrottle is gRFC A6's
// `retryThrottling`: it looks at outcomes. Callers report both and need not
// know which rule is in force.
//
// Thread-safety: safe for concurrent use; no member blocks, locks or
//                allocates. N threads racing for the last retry get one yes.
// Units:         the balance counts retries (A6: tokens), kept in integer
//                thousandths so that fractions add up exactly. Time only goes
//                forward: a `now` before the latest that was seen counts as
//                that one.
// Errors:        none at run time; Validate() checks the options.
#ifndef FORBEAR_INTERCEPTORS_POLICY_RETRY_BUDGET_H_
#define FORBEAR_INTERCEPTORS_POLICY_RETRY_BUDGET_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/policy/recent_sum.h"

namespace forbear {

struct RetryBudgetOptions {
  enum class Rule : uint8_t { kRatio, kThrottle };
  Rule rule = Rule::kRatio;

  // kRatio: what a logical call earns, once, at its start. Range: [0, 1000],
  // whole thousandths.
  double ratio = 0.1;
  // kRatio: the most that the bucket holds when little was earned lately.
  // Range: [0, 1000000], whole thousandths.
  double ceiling = 10;
  // kRatio: the bucket also holds whatever it earned within this time, so that
  // a busy client survives one dropped connection. 0 makes the ceiling fixed.
  // Range: 0, or [1 ms, 1 h].
  absl::Duration burst_window = absl::Seconds(1);
  // kRatio: refills the bucket with time, per second, so that a quiet client
  // can retry at all. Range: [0, 1000], whole thousandths.
  double floor = 0.1;

  // kThrottle: `maxTokens` and `tokenRatio` of gRFC A6. Ranges: (0, 1000] and
  // (0, 1000000], whole thousandths.
  double max_tokens = 10;
  double token_ratio = 0.1;

  absl::Status Validate(absl::string_view where = "") const;
};

class RetryBudget {
 public:
  // Starts full. `options` must be valid.
  RetryBudget(const RetryBudgetOptions& options, absl::Time now);

  // Takes over from `old` after its options changed: starts as full, in
  // proportion, as the old one is (3 of 4 becomes 7.5 of 10).
  RetryBudget(const RetryBudgetOptions& options, const RetryBudget& old,
              absl::Time now);

  RetryBudget(const RetryBudget&) = delete;
  RetryBudget& operator=(const RetryBudget&) = delete;

  // Earns for one logical call (kRatio), once, whatever comes of it.
  void CallStarted(absl::Time now);
  // Reports how an attempt ended (kThrottle). A failure counts when its status
  // is retryable, or when the server's pushback says no.
  void AttemptSucceeded();
  void AttemptFailed();

  // Takes one retry, or takes nothing and says no. One atomic step.
  bool TrySpend(absl::Time now);
  // Gives back what TrySpend() took, when another bucket then said no, or when
  // the retry was never sent.
  void Refund();

  // What TrySpend() would say, taking nothing.
  bool MaySpend(absl::Time now) const;
  // The balance as it stands now, and the most it could be.
  double Balance(absl::Time now) const;
  double Capacity(absl::Time now) const;

 private:
  // All below is in nanoseconds, `elapsed` since start_, and in thousandths.
  int64_t Elapsed(absl::Time now) const;
  int64_t CapacityAt(int64_t elapsed) const;
  int64_t BalanceAt(int64_t elapsed) const;
  int64_t FloorTotal(int64_t elapsed) const;
  void Give(int64_t thousandths);
  void TakeFloor(int64_t elapsed);

  const RetryBudgetOptions::Rule rule_;
  const int64_t earn_;                   // What a call, or a success, earns.
  const int64_t ceiling_;                // What the bucket holds at any time.
  const int64_t floor_;                  // A second.
  const int64_t start_;                  // Since the Unix epoch.
  std::atomic<int64_t> balance_;         // May be above the capacity.
  std::atomic<int64_t> floor_given_{0};  // Of FloorTotal().
  RecentSum earned_;
};

// The buckets that must all agree to a retry. Any may be null: no limit.
struct RetryBudgets {
  RetryBudget* target = nullptr;
  RetryBudget* process = nullptr;
  RetryBudget* hedges = nullptr;  // The cap of hedges: asked for these alone.

  void CallStarted(absl::Time now) const;
  void AttemptSucceeded() const;
  void AttemptFailed() const;
  // Both say yes and both are charged, or neither is.
  bool TrySpend(absl::Time now) const;
  void Refund() const;
  // The same for a hedge, by all three.
  bool TrySpendHedge(absl::Time now) const;
  bool MaySpend(absl::Time now) const;
  // The smaller balance; infinity without buckets.
  double Balance(absl::Time now) const;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_RETRY_BUDGET_H_
