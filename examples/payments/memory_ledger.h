// Charges in this process: they end with it.
//
//   MemoryLedger ledger;
//
// Thread-safety: safe for concurrent use; nothing blocks for long.
// Units:         none.
// Errors:        as Ledger.
#ifndef FORBEAR_EXAMPLES_PAYMENTS_MEMORY_LEDGER_H_
#define FORBEAR_EXAMPLES_PAYMENTS_MEMORY_LEDGER_H_

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "examples/payments/ledger.h"

namespace shop {

class MemoryLedger final : public Ledger {
 public:
  absl::StatusOr<Charge> Enter(const Charge& charge) override;
  absl::StatusOr<Charge> Settle(const std::string& key) override;
  absl::StatusOr<std::vector<Charge>> Charges() override;

 private:
  std::mutex mutex_;  // Guards all below.
  std::vector<Charge> charges_;
  std::map<std::string, Charge> by_key_;  // Closed: without an id.
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_PAYMENTS_MEMORY_LEDGER_H_
