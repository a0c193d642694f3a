// Gives a call that comes again the answer it was given before.
//
// A client whose answer was lost sends its call again, with the same
// idempotency key. The first call with a key runs; the others are given its
// answer, also those that come while it still runs. How often that happens is
// an early sign of a client whose timeout is too short.
//
//   auto cache = std::make_shared<forbear::ReplyCache>();
//   options.reply_cache = cache;            // ServerOptions.
//
// What was not applied is not kept: a call that the guard refused, or whose
// handler says so (CallScope::NoteNotApplied()). All else is, failures too:
// whoever wants a failed call tried again sends a new key.
//
// Thread-safety: safe for concurrent use. Whoever began must have been answered
//                before it is destroyed.
// Units:         instants of SteadyNow().
// Errors:        what the store says of itself: Outcome::kDown.
#ifndef FORBEAR_INTERCEPTORS_REPLY_CACHE_REPLY_CACHE_H_
#define FORBEAR_INTERCEPTORS_REPLY_CACHE_REPLY_CACHE_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/admission/slot_threads.h"
#include "interceptors/reply_cache/reply_desk.h"
#include "interceptors/reply_cache/reply_store.h"
#include "interceptors/reply_cache/stored_reply.h"

namespace forbear {

class ReplyCache {
 public:
  // In memory, with its default bounds.
  ReplyCache();
  explicit ReplyCache(std::shared_ptr<ReplyStore> store);
  ~ReplyCache();
  ReplyCache(const ReplyCache&) = delete;
  ReplyCache& operator=(const ReplyCache&) = delete;

  // A call that runs. What it does not keep is not applied: dropped.
  class Ticket {
   public:
    ~Ticket();
    void Keep(const StoredReply& reply);

   private:
    friend class ReplyCache;
    Ticket(ReplyCache& cache, std::string key, std::string request,
           std::string token);

    ReplyCache& cache_;
    const std::string key_, request_, token_;
    bool kept_ = false;
  };

  struct Outcome {
    enum Kind : uint8_t {
      kRun,     // It is the first: run it, and keep its answer with `ticket`.
      kReplay,  // Answer with `reply`.
      kOther,   // The key belongs to another request.
      kLate,    // The first still runs, and this one gives up.
      kDown,    // The store cannot be asked.
    };
    Kind kind = kRun;
    std::shared_ptr<Ticket> ticket;
    StoredReply reply;
    absl::Status error;
  };
  using Done = std::function<void(Outcome)>;

  // Runs `done` once: at once, or later on a thread that may block.
  void Begin(const std::string& key, const std::string& request,
             absl::Time give_up, Done done);

  // Calls that wait for another's answer, and calls that were given one.
  int64_t waiting() const;
  int64_t replays() const;

 private:
  struct Asker {
    std::string key;
    std::string request;
    absl::Time give_up;
    Done done;
  };

  // Here, or on a thread that may block if the store does.
  void WithStore(std::function<void()> work);
  void Start(Asker asker);
  void Ask(const Asker& asker);
  void AskAgainLater(const Asker& asker);
  // The key is under way no more here: those who waited are given the outcome,
  // or begin anew if there is none.
  void EndKey(const std::string& key, const Outcome* outcome);
  void Watch();

  const std::shared_ptr<ReplyStore> store_;
  mutable std::mutex mutex_;  // Guards what follows, until the threads.
  ReplyDesk desk_;
  uint64_t ids_ = 0;
  int64_t replays_ = 0;
  absl::flat_hash_map<uint64_t, Asker> waiting_;
  std::multimap<absl::Time, Asker> polling_;
  bool stopping_ = false;
  std::condition_variable changed_;
  SlotThreads threads_;
  std::thread watcher_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_REPLY_CACHE_REPLY_CACHE_H_
