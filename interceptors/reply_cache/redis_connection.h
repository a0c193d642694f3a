// One connection to Redis, which is made when it is first needed and made anew
// after it broke.
//
//   RedisConnection redis("127.0.0.1", 6379, absl::Seconds(1));
//   absl::StatusOr<RedisConnection::Reply> held = redis.Ask({"GET", "key"});
//   if (held.ok() && (*held)->type == REDIS_REPLY_STRING) ...
//
// Not part of the library's API.
//
// Thread-safety: safe for concurrent use; who asks takes turns, and blocks.
// Units:         absl::Duration, for connecting and for each answer.
// Errors:        UNAVAILABLE: Redis did not answer in time, or with an error.
#ifndef FORBEAR_INTERCEPTORS_REPLY_CACHE_REDIS_CONNECTION_H_
#define FORBEAR_INTERCEPTORS_REPLY_CACHE_REDIS_CONNECTION_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

struct redisContext;
struct redisReply;

namespace forbear {

class RedisConnection {
 private:
  struct FreeContext {
    void operator()(redisContext* context) const;
  };
  struct FreeReply {
    void operator()(redisReply* reply) const;
  };

 public:
  using Reply = std::unique_ptr<redisReply, FreeReply>;

  RedisConnection(std::string host, int port, absl::Duration timeout);
  ~RedisConnection();

  absl::StatusOr<Reply> Ask(const std::vector<std::string>& command);

 private:
  absl::Status Connect();

  const std::string host_;
  const int port_;
  const absl::Duration timeout_;
  std::mutex mutex_;  // Guards the connection.
  std::unique_ptr<redisContext, FreeContext> context_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_REPLY_CACHE_REDIS_CONNECTION_H_
