#include "examples/payments/memory_ledger.h"

namespace shop {

absl::StatusOr<Charge> MemoryLedger::Enter(const Charge& charge) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!charge.key().empty()) {
    const auto [held, is_new] = by_key_.emplace(charge.key(), charge);
    if (!is_new) return Held(held->second, charge);
  }
  charges_.push_back(charge);
  return charge;
}

absl::StatusOr<Charge> MemoryLedger::Settle(const std::string& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  return by_key_.emplace(key, Charge()).first->second;
}

absl::StatusOr<std::vector<Charge>> MemoryLedger::Charges() {
  std::lock_guard<std::mutex> lock(mutex_);
  return charges_;
}

}  // namespace shop
