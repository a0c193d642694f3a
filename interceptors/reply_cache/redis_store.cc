#include "interceptors/reply_cache/redis_store.h"

#include <hiredis/hiredis.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy/range_check.h"
#include "proto/reply_record.pb.h"

namespace forbear {
namespace {

// Both act only on the claim that they are given.
constexpr char kKeep[] =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then "
    "return redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end";
constexpr char kDrop[] =
    "local held = redis.call('GET', KEYS[1]) "
    "if held and string.sub(held, 1, #ARGV[1]) == ARGV[1] then "
    "return redis.call('DEL', KEYS[1]) end";

// A claim begins with its token, and goes on with the request; a reply begins
// otherwise. Tokens are hexadecimal.
constexpr char kClaim = 'c';
constexpr char kReply = 'r';

std::string ClaimOf(const std::string& token, const std::string& request) {
  return absl::StrCat(std::string(1, kClaim), token, "/", request);
}

std::string Write(const std::string& request, const StoredReply& reply) {
  ReplyRecord record;
  record.set_request(request);
  record.set_code(reply.code);
  record.set_message(reply.message);
  record.set_details(reply.details);
  record.set_payload(reply.payload);
  for (const auto& [key, value] : reply.trailers) {
    auto* trailer = record.add_trailers();
    trailer->set_key(key);
    trailer->set_value(value);
  }
  return kReply + record.SerializeAsString();
}

ReplyStore::Claimed Read(absl::string_view held, const std::string& request) {
  using State = ReplyStore::State;
  ReplyRecord record;
  if (!held.empty() && held[0] == kClaim) {
    const auto slash = held.find('/');
    return {held.substr(slash + 1) == request ? State::kRunning : State::kOther,
            {},
            {}};
  }
  if (held.empty() || held[0] != kReply ||
      !record.ParseFromArray(held.data() + 1,
                             static_cast<int>(held.size()) - 1)) {
    return {State::kDown,
            {},
            absl::DataLossError("Redis holds something that is no reply; give "
                                "RedisStore::Options.prefix another value")};
  }
  if (record.request() != request) return {State::kOther, {}, {}};
  StoredReply reply;
  reply.code = record.code();
  reply.message = record.message();
  reply.details = record.details();
  reply.payload = record.payload();
  for (const auto& trailer : record.trailers()) {
    reply.trailers.emplace(trailer.key(), trailer.value());
  }
  return {State::kDone, std::move(reply), {}};
}

std::string Millis(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Milliseconds(duration));
}

}  // namespace

absl::Status RedisStore::Options::Validate() const {
  const char* const where = "RedisStore::Options.";
  if (port < 1 || port > 65535) {
    return OutOfRange(where, "port", port, "[1, 65535]");
  }
  if (!(max_age >= absl::Seconds(1) && max_age <= absl::Hours(24 * 30))) {
    return OutOfRange(where, "max_age", max_age, "[1s, 720h]");
  }
  if (!(lease >= absl::Seconds(1) && lease <= absl::Hours(1))) {
    return OutOfRange(where, "lease", lease, "[1s, 1h]");
  }
  if (!(timeout >= absl::Milliseconds(1) && timeout <= absl::Minutes(1))) {
    return OutOfRange(where, "timeout", timeout, "[1ms, 1m]");
  }
  return absl::OkStatus();
}

RedisStore::RedisStore(Options options)
    : options_(std::move(options)),
      fault_(options_.Validate()),
      redis_(options_.host, options_.port, options_.timeout) {}

absl::StatusOr<RedisConnection::Reply> RedisStore::Ask(
    const std::vector<std::string>& command) {
  if (!fault_.ok()) return fault_;
  return redis_.Ask(command);
}

ReplyStore::Claimed RedisStore::Claim(const std::string& key,
                                      const std::string& request,
                                      const std::string& token, absl::Time) {
  const std::string name = options_.prefix + key;
  // What is held may go between the two questions; then it is free again.
  for (int i = 0; i < 3; ++i) {
    const auto set = Ask({"SET", name, ClaimOf(token, request), "NX", "PX",
                          Millis(options_.lease)});
    if (!set.ok()) return {State::kDown, {}, set.status()};
    if ((*set)->type != REDIS_REPLY_NIL) return {State::kMine, {}, {}};
    const auto held = Ask({"GET", name});
    if (!held.ok()) return {State::kDown, {}, held.status()};
    if ((*held)->type == REDIS_REPLY_STRING) {
      return Read({(*held)->str, (*held)->len}, request);
    }
  }
  return {State::kRunning, {}, {}};
}

absl::Status RedisStore::Keep(const std::string& key,
                              const std::string& request,
                              const std::string& token,
                              const StoredReply& reply, absl::Time) {
  return Ask({"EVAL", kKeep, "1", options_.prefix + key,
              ClaimOf(token, request), Write(request, reply),
              Millis(options_.max_age)})
      .status();
}

absl::Status RedisStore::Drop(const std::string& key, const std::string& token,
                              absl::Time) {
  return Ask({"EVAL", kDrop, "1", options_.prefix + key, ClaimOf(token, "")})
      .status();
}

}  // namespace forbear
