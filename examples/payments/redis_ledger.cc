#include "examples/payments/redis_ledger.h"

#include <hiredis/hiredis.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace shop {
namespace {

constexpr char kKeys[] = "shop:charge:";
constexpr char kCharges[] = "shop:charges";
constexpr timeval kTimeout = {1, 0};

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

RedisLedger::RedisLedger(std::string host, int port)
    : host_(std::move(host)), port_(port) {}

RedisLedger::~RedisLedger() = default;

void RedisLedger::FreeContext::operator()(redisContext* context) const {
  redisFree(context);
}

void RedisLedger::FreeReply::operator()(redisReply* reply) const {
  freeReplyObject(reply);
}

absl::StatusOr<Charge> RedisLedger::Enter(const Charge& charge) {
  if (charge.key().empty()) {
    const absl::StatusOr<Reply> kept =
        Ask({"RPUSH", kCharges, Written(charge)});
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
  const absl::StatusOr<Reply> held =
      Ask({"EVAL", kHold, "2", absl::StrCat(kKeys, key), kCharges,
           Written(charge)});
  if (!held.ok()) return held.status();
  return Read(**held);
}

absl::StatusOr<std::vector<Charge>> RedisLedger::Charges() {
  const absl::StatusOr<Reply> all = Ask({"LRANGE", kCharges, "0", "-1"});
  if (!all.ok()) return all.status();
  std::vector<Charge> charges;
  for (size_t i = 0; i < (*all)->elements; ++i) {
    charges.push_back(Read(*(*all)->element[i]));
  }
  return charges;
}

absl::StatusOr<RedisLedger::Reply> RedisLedger::Ask(
    const std::vector<std::string>& command) {
  std::vector<const char*> words;
  std::vector<size_t> lengths;
  for (const std::string& word : command) {
    words.push_back(word.data());
    lengths.push_back(word.size());
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (context_ == nullptr) {
    context_.reset(redisConnectWithTimeout(host_.c_str(), port_, kTimeout));
    if (context_->err == 0) redisSetTimeout(context_.get(), kTimeout);
  }
  Reply reply;
  if (context_->err == 0) {
    reply.reset(static_cast<redisReply*>(
        redisCommandArgv(context_.get(), static_cast<int>(words.size()),
                         words.data(), lengths.data())));
  }
  if (reply != nullptr && reply->type != REDIS_REPLY_ERROR) return reply;
  const absl::Status status = absl::UnavailableError(
      absl::StrCat("Redis at ", host_, ":", port_, ": ",
                   reply == nullptr ? context_->errstr : reply->str));
  if (reply == nullptr) context_ = nullptr;
  return status;
}

}  // namespace shop
