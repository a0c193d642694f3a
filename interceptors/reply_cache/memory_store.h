// Replies in this process, bounded by their number, their size and their age.
//
// What is kept longest goes first. A call that runs is never forgotten, nor is
// its claim: the bounds hold for replies, and those who run are bounded by the
// server's own limits.
//
//   MemoryStore::Bounds bounds;
//   bounds.max_age = absl::Minutes(10);
//   MemoryStore store(bounds);
//
// Thread-safety: safe for concurrent use; no member blocks for long.
// Units:         bytes of keys, requests and replies, about.
// Errors:        none; Validate() checks the bounds.
#ifndef FORBEAR_INTERCEPTORS_REPLY_CACHE_MEMORY_STORE_H_
#define FORBEAR_INTERCEPTORS_REPLY_CACHE_MEMORY_STORE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/reply_cache/reply_store.h"

namespace forbear {

class MemoryStore final : public ReplyStore {
 public:
  struct Bounds {
    int64_t max_replies = 10000;                 // Range: [1, 10^9].
    int64_t max_bytes = 64 * 1024 * 1024;        // Range: [1, 10^12].
    absl::Duration max_age = absl::Minutes(10);  // Range: [1 s, 30 days].

    absl::Status Validate() const;
  };

  explicit MemoryStore(const Bounds& bounds) : bounds_(bounds) {}

  Claimed Claim(const std::string& key, const std::string& request,
                const std::string& token, absl::Time now) override;
  absl::Status Keep(const std::string& key, const std::string& request,
                    const std::string& token, const StoredReply& reply,
                    absl::Time now) override;
  absl::Status Drop(const std::string& key, const std::string& token,
                    absl::Time now) override;
  bool Blocks() const override { return false; }

  // Kept replies, and their bytes.
  int64_t replies() const;
  int64_t bytes() const;

 private:
  struct Entry {
    std::string request;
    std::string token;
    bool done = false;
    StoredReply reply;
    absl::Time kept_at;
    int64_t bytes = 0;
  };
  void Forget(absl::Time now);

  const Bounds bounds_;
  mutable std::mutex mutex_;  // Guards all below.
  absl::flat_hash_map<std::string, Entry> entries_;
  std::deque<std::string> kept_;  // The oldest first.
  int64_t bytes_ = 0;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_REPLY_CACHE_MEMORY_STORE_H_
