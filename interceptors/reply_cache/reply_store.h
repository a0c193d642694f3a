// Where replies are kept: three verbs.
//
// Whoever claims a key first runs its call; the others learn that it runs, or
// what it was answered. A store that several servers share makes them one.
//
//   ReplyStore::Claimed claimed = store.Claim(key, request, token, now);
//   if (claimed.state == ReplyStore::State::kMine) {
//     ...                                       // The call runs.
//     store.Keep(key, request, token, reply, now);
//   }
//
// Thread-safety: implementations are safe for concurrent use.
// Units:         `now` is an instant of SteadyNow().
// Errors:        a store that cannot be asked says so: State::kDown.
#ifndef FORBEAR_INTERCEPTORS_REPLY_CACHE_REPLY_STORE_H_
#define FORBEAR_INTERCEPTORS_REPLY_CACHE_REPLY_STORE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/reply_cache/stored_reply.h"

namespace forbear {

class ReplyStore {
 public:
  enum class State {
    kMine,     // Nobody has run it: who asked does.
    kRunning,  // Somebody runs it.
    kDone,     // It was answered with `reply`.
    kOther,    // The key belongs to another request.
    kDown,     // The store cannot be asked; `error` says why.
  };
  struct Claimed {
    State state = State::kMine;
    StoredReply reply;
    absl::Status error;
  };

  virtual ~ReplyStore() = default;

  // `request` tells one request from another; `token` one claim from another.
  virtual Claimed Claim(const std::string& key, const std::string& request,
                        const std::string& token, absl::Time now) = 0;
  // The claimed call was answered. Nothing happens if the claim was lost.
  virtual absl::Status Keep(const std::string& key, const std::string& request,
                            const std::string& token, const StoredReply& reply,
                            absl::Time now) = 0;
  // The claimed call was not applied: the next to come may run.
  virtual absl::Status Drop(const std::string& key, const std::string& token,
                            absl::Time now) = 0;

  // Whether its verbs block: they are then never called by who brings a call.
  virtual bool Blocks() const = 0;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_REPLY_CACHE_REPLY_STORE_H_
