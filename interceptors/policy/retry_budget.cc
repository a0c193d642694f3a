#include "interceptors/policy/retry_budget.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "interceptors/policy/range_check.h"

namespace forbear {
namespace {

using Rule = RetryBudgetOptions::Rule;

constexpr int64_t kNone = 0;
constexpr int64_t kOne = 1000;  // One retry, or token, in thousandths.
constexpr int64_t kPlenty = int64_t{1} << 60;  // More than any capacity.
constexpr int64_t kNanos = 1'000'000'000;

int64_t Thousandths(double value) { return std::llround(value * kOne); }

// Bounded, so that no sum or product of ours overflows.
int64_t Nanos(absl::Time now) {
  constexpr int64_t kCentury = int64_t{36525} * 24 * 3600 * kNanos;
  return std::clamp(absl::ToUnixNanos(now), -kCentury, kCentury);
}

bool IsAmount(double value, double most) {
  if (!(value >= 0 && value <= most)) return false;
  // The product is off by rounding only: 0.07 x 1000 is 70.00000000000001.
  const double thousandths = value * kOne;
  return std::abs(thousandths - std::round(thousandths)) < 1e-6;
}

}  // namespace

absl::Status RetryBudgetOptions::Validate(absl::string_view where) const {
  if (!IsAmount(ratio, 1000)) {
    return OutOfRange(where, "ratio", ratio, "[0, 1000] in thousandths");
  }
  if (!IsAmount(ceiling, 1'000'000)) {
    return OutOfRange(where, "ceiling", ceiling, "[0, 1000000] in thousandths");
  }
  if (burst_window != absl::ZeroDuration() &&
      !(burst_window >= absl::Milliseconds(1) &&
        burst_window <= absl::Hours(1))) {
    return OutOfRange(where, "burst_window", burst_window, "0 or [1ms, 1h]");
  }
  if (!IsAmount(floor, 1000)) {
    return OutOfRange(where, "floor", floor, "[0, 1000] in thousandths");
  }
  if (!IsAmount(max_tokens, 1000) || Thousandths(max_tokens) == 0) {
    return OutOfRange(where, "max_tokens", max_tokens,
                      "(0, 1000] in thousandths");
  }
  if (!IsAmount(token_ratio, 1'000'000) || Thousandths(token_ratio) == 0) {
    return OutOfRange(where, "token_ratio", token_ratio,
                      "(0, 1000000] in thousandths");
  }
  return absl::OkStatus();
}

RetryBudget::RetryBudget(const RetryBudgetOptions& options, absl::Time now)
    : rule_(options.rule),
      earn_(Thousandths(rule_ == Rule::kRatio ? options.ratio
                                              : options.token_ratio)),
      ceiling_(Thousandths(rule_ == Rule::kRatio ? options.ceiling
                                                 : options.max_tokens)),
      floor_(rule_ == Rule::kRatio ? Thousandths(options.floor) : 0),
      start_(Nanos(now)),
      balance_(ceiling_),
      earned_(rule_ == Rule::kRatio ? options.burst_window
                                    : absl::ZeroDuration()) {}

RetryBudget::RetryBudget(const RetryBudgetOptions& options,
                         const RetryBudget& old, absl::Time now)
    : RetryBudget(options, now) {
  const double capacity = old.Capacity(now);
  if (capacity == 0) return;
  balance_ =
      std::llround(static_cast<double>(ceiling_) * old.Balance(now) / capacity);
}

void RetryBudget::CallStarted(absl::Time now) {
  if (rule_ != Rule::kRatio) return;
  // In this order: whoever sees it in the balance sees it in the capacity.
  earned_.Add(earn_, Elapsed(now));
  Give(earn_);
}

void RetryBudget::AttemptSucceeded() {
  if (rule_ != Rule::kThrottle) return;
  int64_t old = balance_;
  while (
      !balance_.compare_exchange_weak(old, std::min(old + earn_, ceiling_))) {
  }
}

void RetryBudget::AttemptFailed() {
  if (rule_ != Rule::kThrottle) return;
  int64_t old = balance_;
  while (!balance_.compare_exchange_weak(old, std::max(old - kOne, kNone))) {
  }
}

bool RetryBudget::TrySpend(absl::Time now) {
  if (rule_ == Rule::kThrottle) return MaySpend(now);
  const int64_t elapsed = Elapsed(now);
  TakeFloor(elapsed);
  int64_t old = balance_;
  int64_t held;
  do {
    // The capacity is read after the balance, and so counts all that is in it.
    held = std::min(old, CapacityAt(elapsed));
    if (held < kOne) return false;
  } while (!balance_.compare_exchange_weak(old, held - kOne));
  return true;
}

void RetryBudget::Refund() {
  if (rule_ == Rule::kRatio) Give(kOne);
}

bool RetryBudget::MaySpend(absl::Time now) const {
  return rule_ == Rule::kThrottle ? 2 * balance_ > ceiling_
                                  : BalanceAt(Elapsed(now)) >= kOne;
}

double RetryBudget::Balance(absl::Time now) const {
  return static_cast<double>(BalanceAt(Elapsed(now))) / kOne;
}

double RetryBudget::Capacity(absl::Time now) const {
  return static_cast<double>(CapacityAt(Elapsed(now))) / kOne;
}

int64_t RetryBudget::Elapsed(absl::Time now) const {
  return std::max(Nanos(now) - start_, kNone);
}

int64_t RetryBudget::CapacityAt(int64_t elapsed) const {
  return std::max(ceiling_, earned_.Sum(elapsed));
}

int64_t RetryBudget::BalanceAt(int64_t elapsed) const {
  const int64_t balance = balance_;
  const int64_t due = std::max(FloorTotal(elapsed) - floor_given_, kNone);
  return std::min(balance + due, CapacityAt(elapsed));
}

int64_t RetryBudget::FloorTotal(int64_t elapsed) const {
  return elapsed / kNanos * floor_ + elapsed % kNanos * floor_ / kNanos;
}

// What is given is clipped to the capacity when somebody looks or spends, not
// here. That comes to the same: the capacity never grows by more than is
// earned, so a bucket that was full at any time since is full then.
void RetryBudget::Give(int64_t thousandths) {
  const int64_t balance = balance_.fetch_add(thousandths) + thousandths;
  if (balance > kPlenty) {
    int64_t expected = balance;
    balance_.compare_exchange_strong(expected, kPlenty);
  }
}

// Only spending can make use of the floor, so it is taken then.
void RetryBudget::TakeFloor(int64_t elapsed) {
  const int64_t total = FloorTotal(elapsed);
  int64_t given = floor_given_;
  while (given < total) {
    if (floor_given_.compare_exchange_weak(given, total)) {
      return Give(total - given);
    }
  }
}

void RetryBudgets::CallStarted(absl::Time now) const {
  if (target != nullptr) target->CallStarted(now);
  if (process != nullptr) process->CallStarted(now);
  if (hedges != nullptr) hedges->CallStarted(now);
}

void RetryBudgets::AttemptSucceeded() const {
  if (target != nullptr) target->AttemptSucceeded();
  if (process != nullptr) process->AttemptSucceeded();
}

void RetryBudgets::AttemptFailed() const {
  if (target != nullptr) target->AttemptFailed();
  if (process != nullptr) process->AttemptFailed();
}

bool RetryBudgets::TrySpend(absl::Time now) const {
  if (target != nullptr && !target->TrySpend(now)) return false;
  if (process == nullptr || process->TrySpend(now)) return true;
  if (target != nullptr) target->Refund();
  return false;
}

void RetryBudgets::Refund() const {
  if (target != nullptr) target->Refund();
  if (process != nullptr) process->Refund();
}

bool RetryBudgets::TrySpendHedge(absl::Time now) const {
  if (hedges != nullptr && !hedges->TrySpend(now)) return false;
  if (TrySpend(now)) return true;
  if (hedges != nullptr) hedges->Refund();
  return false;
}

bool RetryBudgets::MaySpend(absl::Time now) const {
  return (target == nullptr || target->MaySpend(now)) &&
         (process == nullptr || process->MaySpend(now));
}

double RetryBudgets::Balance(absl::Time now) const {
  double least = std::numeric_limits<double>::infinity();
  if (target != nullptr) least = std::min(least, target->Balance(now));
  if (process != nullptr) least = std::min(least, process->Balance(now));
  return least;
}

}  // namespace forbear
