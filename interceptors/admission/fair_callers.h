// Who waits, and whose turn it is.
//
// Each caller has a queue of its own, and room is shared between callers as
// start-time fair queueing shares a line: whoever has been given least time is
// next, and a caller who comes back after a pause has saved nothing up (Goyal,
// Vin and Cheng, 1996). Whoever hammers only lengthens its own queue.
//
//   FairCallers callers;
//   Caller& caller = callers.Find("10.0.0.7", now);
//   callers.Add(caller, call);          // Waits.
//   Caller& next = callers.Next();      // Given least.
//   callers.Turn(next);
//   callers.Charge(next, absl::Milliseconds(10));
//
// Thread-safety: thread-compatible.
// Units:         what was given is absl::Duration of a slot's time.
// Errors:        none. Names beyond kMostCallers share one queue: a peer that
//                invents names gains nothing and costs no memory.
#ifndef FORBEAR_INTERCEPTORS_ADMISSION_FAIR_CALLERS_H_
#define FORBEAR_INTERCEPTORS_ADMISSION_FAIR_CALLERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/admission/waiting_call.h"
#include "interceptors/policy/recent_sum.h"

namespace forbear {

class Caller {
 public:
  size_t waiting() const { return calls_.size(); }

  // The call to serve next: of its most urgent the newest, first attempts
  // before the others.
  WaitingCall& Newest() const;
  // The call to serve last: of its least urgent the oldest, the others before
  // first attempts.
  WaitingCall& Last() const;

  // Calls that came while others waited, on the queue's own clock.
  RecentSum arrivals{absl::Seconds(1)};
  // It was told to stay away until then.
  absl::Time barred_until = absl::InfinitePast();
  int running = 0;

 private:
  friend class FairCallers;
  // Urgency, whether it is a repeat, and when it came.
  using Place = std::tuple<int, bool, uint64_t>;
  static Place PlaceOf(const WaitingCall& call) {
    return {call.urgency, call.repeat, call.sequence};
  }

  absl::btree_map<Place, WaitingCall*> calls_;
  absl::Duration given_;
  uint64_t number_ = 0;
};

class FairCallers {
 public:
  static constexpr size_t kMostCallers = 4096;

  FairCallers() = default;
  FairCallers(const FairCallers&) = delete;
  FairCallers& operator=(const FairCallers&) = delete;

  // Makes it known if it is not. Forgets those who have nothing here, and none
  // who were told to stay away until after `now`, when there are too many.
  Caller& Find(absl::string_view name, absl::Time now);
  // Null if it is not known.
  Caller* Known(absl::string_view name);

  void Add(Caller& caller, WaitingCall& call);
  void Remove(Caller& caller, WaitingCall& call);

  // Of those who wait, the one who was given least. There is one.
  Caller& Next() const { return *active_.begin()->second; }
  // Of those who wait, the one with most calls. There is one.
  Caller& Longest() const;

  // It is the caller's turn: who comes from now on starts from there.
  void Turn(const Caller& caller);
  // Adds to what the caller was given, or takes from it.
  void Charge(Caller& caller, absl::Duration time);

  // How many callers wait.
  size_t waiting() const { return active_.size(); }
  size_t known() const { return callers_.size(); }

 private:
  // What was given, and a number that makes it unique.
  using Key = std::pair<absl::Duration, uint64_t>;
  static Key KeyOf(const Caller& caller) {
    return {caller.given_, caller.number_};
  }
  void Forget(absl::Time now);

  absl::flat_hash_map<std::string, std::unique_ptr<Caller>> callers_;
  absl::btree_map<Key, Caller*> active_;
  absl::Duration given_;  // The most that one had been given at its turn.
  uint64_t numbers_ = 0;
  Caller crowd_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_ADMISSION_FAIR_CALLERS_H_
