// The charges that were made: what no restart may forget.
//
//   absl::StatusOr<Charge> held = ledger.Enter(charge);    // Once for its key.
//   absl::StatusOr<Charge> found = ledger.Settle(key);
//
// A key is charged or closed, whichever comes first, and stays so.
//
// Thread-safety: implementations are safe for concurrent use; they may block.
// Units:         none.
// Errors:        FAILED_PRECONDITION for a charge whose key is closed, or is
//                that of another order or amount; UNAVAILABLE for a ledger that
//                did not answer: it may have written all the same; DATA_LOSS
//                for one that holds something else.
#ifndef FORBEAR_EXAMPLES_PAYMENTS_LEDGER_H_
#define FORBEAR_EXAMPLES_PAYMENTS_LEDGER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "proto/shop.pb.h"

namespace shop {

class Ledger {
 public:
  virtual ~Ledger() = default;

  // The charge under its key: this one, or the one that was there. Without a
  // key, a charge of its own.
  virtual absl::StatusOr<Charge> Enter(const Charge& charge) = 0;

  // The charge under `key`; where there is none, one without an id, and the key
  // is closed.
  virtual absl::StatusOr<Charge> Settle(const std::string& key) = 0;

  // In the order in which they were made.
  virtual absl::StatusOr<std::vector<Charge>> Charges() = 0;
};

inline absl::Status KeyIsClosed(const std::string& key) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the key ", key,
      " is closed: somebody was told that it was not charged; use a new one"));
}

// The charge that a key already has, for one that comes with it.
inline absl::StatusOr<Charge> Held(const Charge& held, const Charge& charge) {
  if (held.id().empty()) return KeyIsClosed(charge.key());
  if (held.order_id() == charge.order_id() && held.cents() == charge.cents()) {
    return held;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the key ", charge.key(), " belongs to order ", held.order_id(), " and ",
      held.cents(), " cents, not to order ", charge.order_id(), " and ",
      charge.cents(), "; use a new one"));
}

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_PAYMENTS_LEDGER_H_
