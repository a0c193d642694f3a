// Who runs the call of a key in this process, and who waits for its answer.
//
//   switch (desk.Begin(key, request, id, give_up)) {
//     case ReplyDesk::Start::kFirst: ...           // Ask the store, or run.
//     case ReplyDesk::Start::kWaits: ...           // End() names `id` later,
//     case ReplyDesk::Start::kOther: ...           // or Late() does.
//   }
//   for (uint64_t id : desk.End(key)) ...
//
// It takes no time and starts no thread.
//
// Thread-safety: thread-compatible.
// Units:         instants of one clock.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_REPLY_CACHE_REPLY_DESK_H_
#define FORBEAR_INTERCEPTORS_REPLY_CACHE_REPLY_DESK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace forbear {

class ReplyDesk {
 public:
  using Id = uint64_t;
  enum class Start {
    kFirst,  // Nobody here has it under way.
    kWaits,  // Somebody has, with the same request.
    kOther,  // Somebody has, with another request.
  };

  // Ids are the caller's own, each used once.
  Start Begin(const std::string& key, const std::string& request, Id id,
              absl::Time give_up);

  // The first of this key is done. Who waited for it, in the order they came.
  std::vector<Id> End(const std::string& key);

  // Who has waited for as long as it would; they wait no more.
  std::vector<Id> Late(absl::Time now);
  absl::Time WakeAt() const;

  // Keys under way, and calls that wait for them.
  size_t running() const { return keys_.size(); }
  size_t waiting() const { return key_of_.size(); }

 private:
  struct Key {
    std::string request;
    std::vector<std::pair<Id, absl::Time>> waiters;
  };

  absl::flat_hash_map<std::string, Key> keys_;
  absl::flat_hash_map<Id, std::string> key_of_;
  absl::btree_set<std::pair<absl::Time, Id>> by_time_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_REPLY_CACHE_REPLY_DESK_H_
