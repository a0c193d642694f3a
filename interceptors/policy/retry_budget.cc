#include "interceptors/policy/retry_budget.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "interceptors/policy/range_check.h"

namespace forbear {
namespace {

using Rule = RetryBudgetOptions::Rule;

constexpr int64_t kOne = 1000;  // One retry, or token, in thousandths.
constexpr int64_t kNanos = 1'000'000'000;

// A slot's value: its number, and below it what was earned in it. Earnings
// beyond four million retries a slot are not counted.
constexpr uint64_t kMostEarned = std::numeric_limits<uint32_t>::max();
uint32_t Number(uint64_t slot) { return static_cast<uint32_t>(slot >> 32); }
uint64_t Earned(uint64_t slot) { return slot & kMostEarned; }

// A slot's number that is ahead by less than this was written by a thread that
// overtook us; any other is an old one, since numbers wrap.
constexpr uint32_t kOvertaken = 1 << 16;

int64_t Thousandths(double value) { return std::llround(value * kOne); }

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
    : options_(options),
      earn_(Thousandths(options.rule == Rule::kRatio ? options.ratio
                                                     : options.token_ratio)),
      fixed_ceiling_(Thousandths(
          options.rule == Rule::kRatio ? options.ceiling : options.max_tokens)),
      floor_(options.rule == Rule::kRatio ? Thousandths(options.floor) : 0),
      slot_nanos_(options.rule == Rule::kRatio
                      ? options.burst_window / absl::Nanoseconds(kSlots)
                      : 0),
      start_(now),
      balance_(fixed_ceiling_) {}

RetryBudget::RetryBudget(const RetryBudgetOptions& options,
                         const RetryBudget& old, absl::Time now)
    : RetryBudget(options, now) {
  const double capacity = old.Capacity(now);
  if (capacity == 0) return;
  const double full = old.Balance(now) / capacity;
  balance_ = std::llround(static_cast<double>(fixed_ceiling_) * full);
}

void RetryBudget::CallStarted(absl::Time now) {
  if (options_.rule != Rule::kRatio) return;
  const int64_t elapsed = Elapsed(now);
  if (slot_nanos_ > 0) NoteEarned(elapsed / slot_nanos_);
  Add(earn_, elapsed);
}

void RetryBudget::AttemptSucceeded() {
  if (options_.rule == Rule::kThrottle) Add(earn_, 0);
}

void RetryBudget::AttemptFailed() {
  if (options_.rule != Rule::kThrottle) return;
  int64_t old = balance_.load();
  while (!balance_.compare_exchange_weak(old, std::max<int64_t>(old - kOne, 0)))
    ;
}

bool RetryBudget::TrySpend(absl::Time now) {
  if (options_.rule == Rule::kThrottle) return MaySpend(now);
  const int64_t elapsed = Elapsed(now);
  const int64_t total = FloorTotal(elapsed);
  int64_t given = floor_given_.load();
  while (given < total) {
    if (floor_given_.compare_exchange_weak(given, total)) {
      Add(total - given, elapsed);
      break;
    }
  }
  int64_t old = balance_.load();
  while (true) {
    const int64_t held = std::min(old, CapacityAt(elapsed));
    if (held < kOne) return false;
    if (balance_.compare_exchange_weak(old, held - kOne)) return true;
  }
}

void RetryBudget::Refund(absl::Time now) {
  if (options_.rule == Rule::kRatio) Add(kOne, Elapsed(now));
}

bool RetryBudget::MaySpend(absl::Time now) const {
  if (options_.rule == Rule::kThrottle) return 2 * balance_ > fixed_ceiling_;
  return BalanceAt(Elapsed(now)) >= kOne;
}

double RetryBudget::Balance(absl::Time now) const {
  return static_cast<double>(BalanceAt(Elapsed(now))) / kOne;
}

double RetryBudget::Capacity(absl::Time now) const {
  return static_cast<double>(CapacityAt(Elapsed(now))) / kOne;
}

int64_t RetryBudget::Elapsed(absl::Time now) const {
  // Bounded, so that no arithmetic below overflows.
  constexpr int64_t kCentury = 100 * 366 * 24 * int64_t{3600} * kNanos;
  return std::clamp<int64_t>(absl::ToInt64Nanoseconds(now - start_), 0,
                             kCentury);
}

int64_t RetryBudget::Latest(int64_t slot) const {
  return std::max(slot, latest_slot_.load());
}

void RetryBudget::NoteEarned(int64_t slot) {
  int64_t latest = latest_slot_.load();
  while (latest < slot && !latest_slot_.compare_exchange_weak(latest, slot))
    ;
  slot = std::max(slot, latest);
  const uint32_t number = static_cast<uint32_t>(slot);
  std::atomic<uint64_t>& place = slots_[number % kSlots];
  uint64_t old = place.load();
  uint64_t updated;
  do {
    const uint32_t ahead = Number(old) - number;
    if (ahead != 0 && ahead < kOvertaken) return;
    const uint64_t earned = (ahead == 0 ? Earned(old) : 0) + earn_;
    updated = uint64_t{number} << 32 | std::min(earned, kMostEarned);
  } while (!place.compare_exchange_weak(old, updated));
}

int64_t RetryBudget::CapacityAt(int64_t elapsed) const {
  if (slot_nanos_ == 0) return fixed_ceiling_;
  const uint32_t latest = static_cast<uint32_t>(Latest(elapsed / slot_nanos_));
  int64_t earned = 0;
  for (const std::atomic<uint64_t>& place : slots_) {
    const uint64_t slot = place.load();
    if (latest - Number(slot) < kSlots) earned += Earned(slot);
  }
  return std::max(fixed_ceiling_, earned);
}

// The capacity is read after the balance: it then counts at least the earnings
// that are in the balance, and no earning is clipped off for coming late.
void RetryBudget::Add(int64_t thousandths, int64_t elapsed) {
  int64_t old = balance_.load();
  int64_t updated;
  do {
    updated = old + thousandths;
    if (updated > fixed_ceiling_) {
      updated = std::min(updated, CapacityAt(elapsed));
    }
    if (updated == old) return;  // Full, as it mostly is.
  } while (!balance_.compare_exchange_weak(old, updated));
}

int64_t RetryBudget::FloorTotal(int64_t elapsed) const {
  return elapsed / kNanos * floor_ + elapsed % kNanos * floor_ / kNanos;
}

int64_t RetryBudget::BalanceAt(int64_t elapsed) const {
  const int64_t balance = balance_.load();
  const int64_t due =
      std::max<int64_t>(FloorTotal(elapsed) - floor_given_.load(), 0);
  return std::min(balance + due, CapacityAt(elapsed));
}

void RetryBudgets::CallStarted(absl::Time now) const {
  if (target != nullptr) target->CallStarted(now);
  if (process != nullptr) process->CallStarted(now);
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
  if (target != nullptr) target->Refund(now);
  return false;
}

void RetryBudgets::Refund(absl::Time now) const {
  if (target != nullptr) target->Refund(now);
  if (process != nullptr) process->Refund(now);
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
