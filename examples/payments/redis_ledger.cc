#include "examples/payments/redis_ledger.h"

#include <hiredis/hiredis.h>

#include "absl/strings/str_cat.h"

namespace shop {
namespace {

constexpr char kKeys[] = "shop:charge:";
constexpr char kCharges[] = "shop:charges";

// KEYS: the charge's key, the list of all. ARGV: the charge, "" to close.
constexpr char kHold[] =
    "local held = redis.call('GET', KEYS[1]) "
    "if held then return held end "
    "redis.call('SET', KEYS[1], ARGV[1]) "
    "if ARGV[1] ~= '' then redis.call('RPUSH', KEYS[2], ARGV[1]) end "
    "return ARGV[1]";

Charge Read(const redisReply& reply) {
  Charge charge;
  charge.ParseFromArray(reply.str, static_cast<int>(reply.len));
  return charge;
}

// A charge that is none is written as nothing.
std::string Written(const Charge& charge) {
  return charge.id().empty() ? "" : charge.SerializeAsString();
}

}  // namespace

absl::StatusOr<Charge> RedisLedger::Enter(const Charge& charge) {
  if (charge.key().empty()) {
    const auto kept = redis_.Ask({"RPUSH", kCharges, Written(charge)});
    if (!kept.ok()) return kept.status();
    return charge;
  }
  absl::StatusOr<Charge> held = Hold(charge.key(), charge);
  if (held.ok() && held->id().empty()) return KeyIsClosed(charge.key());
  return held;
}

absl::StatusOr<Charge> RedisLedger::Settle(const std::string& key) {
  return Hold(key, Charge());
}

absl::StatusOr<Charge> RedisLedger::Hold(const std::string& key,
                                         const Charge& charge) {
  const auto held = redis_.Ask({"EVAL", kHold, "2", absl::StrCat(kKeys, key),
                                kCharges, Written(charge)});
  if (!held.ok()) return held.status();
  return Read(**held);
}

absl::StatusOr<std::vector<Charge>> RedisLedger::Charges() {
  const auto all = redis_.Ask({"LRANGE", kCharges, "0", "-1"});
  if (!all.ok()) return all.status();
  std::vector<Charge> charges;
  for (size_t i = 0; i < (*all)->elements; ++i) {
    charges.push_back(Read(*(*all)->element[i]));
  }
  return charges;
}

}  // namespace shop
