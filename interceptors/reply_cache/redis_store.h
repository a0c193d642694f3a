// Replies in Redis, where a restarted or a second server finds them.
//
//   RedisStore::Options options;
//   options.host = "redis";
//   auto cache = std::make_shared<ReplyCache>(
//       std::make_shared<RedisStore>(options));
//
// A claim is a key that Redis forgets after `lease`: a server that dies while
// it runs a call blocks its repeats for no longer. No call may take longer, or
// its repeat could run beside it. An answer may reach its caller a moment
// before it is here: a server that dies in that moment leaves a claim, and no
// reply.
//
// Thread-safety: safe for concurrent use; the verbs take turns on one
//                connection and block.
// Units:         Redis keeps time by itself; `now` is not used.
// Errors:        a Redis that does not answer within `timeout` is kDown; the
//                next verb connects anew.
#ifndef FORBEAR_INTERCEPTORS_REPLY_CACHE_REDIS_STORE_H_
#define FORBEAR_INTERCEPTORS_REPLY_CACHE_REDIS_STORE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "interceptors/reply_cache/redis_connection.h"
#include "interceptors/reply_cache/reply_store.h"

namespace forbear {

class RedisStore final : public ReplyStore {
 public:
  struct Options {
    std::string host = "127.0.0.1";
    int port = 6379;
    std::string prefix = "forbear:reply:";
    absl::Duration max_age = absl::Minutes(10);  // Range: [1 s, 30 days].
    absl::Duration lease = absl::Minutes(1);     // Range: [1 s, 1 h].
    absl::Duration timeout = absl::Seconds(1);   // Range: [1 ms, 1 min].

    absl::Status Validate() const;
  };

  // With options that are out of range every verb says so.
  explicit RedisStore(Options options);

  Claimed Claim(const std::string& key, const std::string& request,
                const std::string& token, absl::Time now) override;
  absl::Status Keep(const std::string& key, const std::string& request,
                    const std::string& token, const StoredReply& reply,
                    absl::Time now) override;
  absl::Status Drop(const std::string& key, const std::string& token,
                    absl::Time now) override;
  bool Blocks() const override { return true; }

 private:
  absl::StatusOr<RedisConnection::Reply> Ask(
      const std::vector<std::string>& command);

  const Options options_;
  const absl::Status fault_;
  RedisConnection redis_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_REPLY_CACHE_REDIS_STORE_H_
