// Charges in Redis, where a restarted payments finds them.
//
//   RedisLedger ledger("127.0.0.1", 6379);
//
// A charge and its key are written in one step: whatever dies, no charge is
// made that its key does not tell of.
//
// Thread-safety: safe for concurrent use; the verbs take turns on one
//                connection and block.
// Units:         none.
// Errors:        as Ledger. A Redis that does not answer within a second cannot
//                be asked; the next verb connects anew.
#ifndef FORBEAR_EXAMPLES_PAYMENTS_REDIS_LEDGER_H_
#define FORBEAR_EXAMPLES_PAYMENTS_REDIS_LEDGER_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "examples/payments/ledger.h"

struct redisContext;
struct redisReply;

namespace shop {

class RedisLedger final : public Ledger {
 public:
  RedisLedger(std::string host, int port);
  ~RedisLedger() override;

  absl::StatusOr<Charge> Enter(const Charge& charge) override;
  absl::StatusOr<Charge> Settle(const std::string& key) override;
  absl::StatusOr<std::vector<Charge>> Charges() override;

 private:
  struct FreeContext {
    void operator()(redisContext* context) const;
  };
  struct FreeReply {
    void operator()(redisReply* reply) const;
  };
  using Reply = std::unique_ptr<redisReply, FreeReply>;

  // What is held under `key` afterwards: `charge`, if nothing was before.
  absl::StatusOr<Charge> Hold(const std::string& key, const Charge& charge);
  absl::StatusOr<Reply> Ask(const std::vector<std::string>& command);

  const std::string host_;
  const int port_;
  std::mutex mutex_;  // Guards the connection.
  std::unique_ptr<redisContext, FreeContext> context_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_PAYMENTS_REDIS_LEDGER_H_
