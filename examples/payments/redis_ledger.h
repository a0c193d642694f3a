// Charges in Redis, where a restarted payments finds them.
//
//   RedisLedger ledger("127.0.0.1", 6379);
//
// A charge and its key are written in one step: whenever payments dies, no
// charge is made that its key does not tell of. What Redis itself keeps when it
// dies is up to how it is set up.
//
// Thread-safety: safe for concurrent use; the verbs take turns on one
//                connection and block.
// Units:         none.
// Errors:        as Ledger. A Redis that does not answer within a second cannot
//                be asked; the next verb connects anew.
#ifndef FORBEAR_EXAMPLES_PAYMENTS_REDIS_LEDGER_H_
#define FORBEAR_EXAMPLES_PAYMENTS_REDIS_LEDGER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "examples/payments/ledger.h"
#include "interceptors/reply_cache/redis_connection.h"

namespace shop {

class RedisLedger final : public Ledger {
 public:
  RedisLedger(std::string host, int port)
      : redis_(std::move(host), port, absl::Seconds(1)) {}

  absl::StatusOr<Charge> Enter(const Charge& charge) override;
  absl::StatusOr<Charge> Settle(const std::string& key) override;
  absl::StatusOr<std::vector<Charge>> Charges() override;

 private:
  // What is held under `key` afterwards: `charge`, if nothing was before.
  absl::StatusOr<Charge> Hold(const std::string& key, const Charge& charge);

  forbear::RedisConnection redis_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_PAYMENTS_REDIS_LEDGER_H_
