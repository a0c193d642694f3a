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

// Nothing is a charge without an id: the key is closed.
absl::StatusOr<Charge> Read(const redisReply& reply) {
  Charge charge;
  const bool parsed =
      reply.type == REDIS_REPLY_STRING &&
      charge.ParseFromArray(reply.str, static_cast<int>(reply.len));
  if (parsed && (reply.len == 0 || !charge.id().empty())) return charge;
  return absl::DataLossError(
      absl::StrCat("Redis holds something under ", kKeys, " or ", kCharges,
                   " that is no charge; keep other things elsewhere"));
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
  const absl::StatusOr<Charge> held = Hold(charge.key(), charge);
  return held.ok() ? Held(*held, charge) : held;
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
    const absl::StatusOr<Charge> charge = Read(*(*all)->element[i]);
    if (!charge.ok()) return charge.status();
    charges.push_back(*charge);
  }
  return charges;
}

}  // namespace shop
