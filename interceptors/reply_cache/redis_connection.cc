#include "interceptors/reply_cache/redis_connection.h"

#include <hiredis/hiredis.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace forbear {

RedisConnection::RedisConnection(std::string host, int port,
                                 absl::Duration timeout)
    : host_(std::move(host)), port_(port), timeout_(timeout) {}

RedisConnection::~RedisConnection() = default;

void RedisConnection::FreeContext::operator()(redisContext* context) const {
  redisFree(context);
}

void RedisConnection::FreeReply::operator()(redisReply* reply) const {
  freeReplyObject(reply);
}

absl::Status RedisConnection::Connect() {
  if (context_ != nullptr && context_->err == 0) return absl::OkStatus();
  const timeval timeout = absl::ToTimeval(timeout_);
  context_.reset(redisConnectWithTimeout(host_.c_str(), port_, timeout));
  if (context_ == nullptr) return absl::UnavailableError("Redis: no memory");
  if (context_->err == 0) redisSetTimeout(context_.get(), timeout);
  if (context_->err == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("Redis at ", host_, ":", port_, ": ", context_->errstr));
}

absl::StatusOr<RedisConnection::Reply> RedisConnection::Ask(
    const std::vector<std::string>& command) {
  std::vector<const char*> words;
  std::vector<size_t> sizes;
  for (const std::string& word : command) {
    words.push_back(word.data());
    sizes.push_back(word.size());
  }
  std::lock_guard<std::mutex> lock(mutex_);
  const absl::Status connected = Connect();
  if (!connected.ok()) return connected;
  Reply reply(static_cast<redisReply*>(
      redisCommandArgv(context_.get(), static_cast<int>(words.size()),
                       words.data(), sizes.data())));
  if (reply == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("Redis at ", host_, ":", port_, ": ", context_->errstr));
  }
  if (reply->type == REDIS_REPLY_ERROR) {
    return absl::UnavailableError(
        absl::StrCat("Redis: ", absl::string_view(reply->str, reply->len)));
  }
  return reply;
}

}  // namespace forbear
