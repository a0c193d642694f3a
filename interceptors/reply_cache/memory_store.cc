#include "interceptors/reply_cache/memory_store.h"

#include "interceptors/policy/range_check.h"

namespace forbear {

absl::Status MemoryStore::Bounds::Validate() const {
  const char* const where = "MemoryStore::Bounds.";
  if (max_replies < 1 || max_replies > 1000000000) {
    return OutOfRange(where, "max_replies", static_cast<double>(max_replies),
                      "[1, 1e9]");
  }
  if (max_bytes < 1 || max_bytes > 1000000000000) {
    return OutOfRange(where, "max_bytes", static_cast<double>(max_bytes),
                      "[1, 1e12]");
  }
  if (!(max_age >= absl::Seconds(1) && max_age <= absl::Hours(24 * 30))) {
    return OutOfRange(where, "max_age", max_age, "[1s, 720h]");
  }
  return absl::OkStatus();
}

ReplyStore::Claimed MemoryStore::Claim(const std::string& key,
                                       const std::string& request,
                                       const std::string& token,
                                       absl::Time now) {
  std::lock_guard<std::mutex> lock(mutex_);
  Forget(now);
  const auto [it, is_new] = entries_.try_emplace(key);
  Entry& entry = it->second;
  if (is_new) {
    entry.request = request;
    entry.token = token;
    return {State::kMine, {}, {}};
  }
  if (entry.request != request) return {State::kOther, {}, {}};
  if (!entry.done) return {State::kRunning, {}, {}};
  return {State::kDone, entry.reply, {}};
}

absl::Status MemoryStore::Keep(const std::string& key, const std::string&,
                               const std::string& token,
                               const StoredReply& reply, absl::Time now) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end() || it->second.done || it->second.token != token) {
    return absl::OkStatus();
  }
  Entry& entry = it->second;
  entry.done = true;
  entry.reply = reply;
  entry.kept_at = now;
  entry.bytes =
      static_cast<int64_t>(key.size() + entry.request.size() + reply.size());
  bytes_ += entry.bytes;
  kept_.push_back(key);
  Forget(now);
  return absl::OkStatus();
}

absl::Status MemoryStore::Drop(const std::string& key, const std::string& token,
                               absl::Time) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = entries_.find(key);
  if (it != entries_.end() && !it->second.done && it->second.token == token) {
    entries_.erase(it);
  }
  return absl::OkStatus();
}

void MemoryStore::Forget(absl::Time now) {
  while (!kept_.empty()) {
    const auto oldest = entries_.find(kept_.front());
    if (static_cast<int64_t>(kept_.size()) <= bounds_.max_replies &&
        bytes_ <= bounds_.max_bytes &&
        now - oldest->second.kept_at < bounds_.max_age) {
      return;
    }
    bytes_ -= oldest->second.bytes;
    entries_.erase(oldest);
    kept_.pop_front();
  }
}

int64_t MemoryStore::replies() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(kept_.size());
}

int64_t MemoryStore::bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

}  // namespace forbear
