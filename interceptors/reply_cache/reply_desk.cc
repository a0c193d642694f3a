#include "interceptors/reply_cache/reply_desk.h"

#include <algorithm>

namespace forbear {

ReplyDesk::Start ReplyDesk::Begin(const std::string& key,
                                  const std::string& request, Id id,
                                  absl::Time give_up) {
  const auto [it, is_new] = keys_.try_emplace(key);
  Key& entry = it->second;
  if (is_new) {
    entry.request = request;
    return Start::kFirst;
  }
  if (entry.request != request) return Start::kOther;
  entry.waiters.emplace_back(id, give_up);
  key_of_.emplace(id, key);
  by_time_.emplace(give_up, id);
  return Start::kWaits;
}

std::vector<ReplyDesk::Id> ReplyDesk::End(const std::string& key) {
  std::vector<Id> waited;
  const auto it = keys_.find(key);
  if (it == keys_.end()) return waited;
  for (const auto& [id, give_up] : it->second.waiters) {
    waited.push_back(id);
    key_of_.erase(id);
    by_time_.erase({give_up, id});
  }
  keys_.erase(it);
  return waited;
}

std::vector<ReplyDesk::Id> ReplyDesk::Late(absl::Time now) {
  std::vector<Id> late;
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const Id id = by_time_.begin()->second;
    auto& waiters = keys_.at(key_of_.at(id)).waiters;
    waiters.erase(std::find_if(waiters.begin(), waiters.end(),
                               [id](const auto& w) { return w.first == id; }));
    key_of_.erase(id);
    by_time_.erase(by_time_.begin());
    late.push_back(id);
  }
  return late;
}

absl::Time ReplyDesk::WakeAt() const {
  return by_time_.empty() ? absl::InfiniteFuture() : by_time_.begin()->first;
}

}  // namespace forbear
