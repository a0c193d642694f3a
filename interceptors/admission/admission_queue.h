// Which call may start now, which waits, and which is told to go away.
//
// A server that accepts all that comes does all of it too late. Here no more
// than `limit` calls run; others wait. While nobody waits longer than a target
// they are served as they came. Past it the newest goes first: it still has
// time, and the oldest will miss its deadline whatever we do (Facebook's
// "adaptive LIFO"). Callers then take turns, so that the one that sends most
// waits behind its own calls only. Whoever cannot be reached in time is told so
// at once, and when to come back.
//
//   AdmissionQueue queue(8, QueueOptions());
//   queue.Arrive(call, now, chance, &decisions);
//   for (const auto& decision : decisions) ...     // Run or refuse.
//   queue.Leave(call, now, chance, &decisions);    // It ran; others may.
//
// It takes no time and starts no thread: whoever drives it does.
//
// Thread-safety: thread-compatible.
// Units:         instants of one clock, which only goes forward.
// Errors:        none; options are valid, limit is 1 or more.
#ifndef FORBEAR_INTERCEPTORS_ADMISSION_ADMISSION_QUEUE_H_
#define FORBEAR_INTERCEPTORS_ADMISSION_ADMISSION_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/random/bit_gen_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/admission/drain_rate.h"
#include "interceptors/admission/fair_callers.h"
#include "interceptors/admission/queue_options.h"
#include "interceptors/admission/waiting_call.h"
#include "interceptors/policy/recent_sum.h"

namespace forbear {

class AdmissionQueue {
 public:
  enum class Refusal : uint8_t {
    kOverloaded,     // It would not be reached in time.
    kOverShare,      // The same, while other callers wait as well.
    kReturnedEarly,  // Its caller was told to stay away for longer.
    kOutOfTime,      // Its latest start has passed.
    kQueuedTooLong,  // It has waited for QueueOptions::max_time.
    kDraining,       // The server is about to stop.
  };

  // What became of a call: it runs now, unless it was refused.
  struct Decision {
    WaitingCall* call = nullptr;
    absl::optional<Refusal> refusal;
    absl::Duration pushback;  // When to come back. Whole milliseconds.
    absl::Duration waited;
  };
  using Decisions = std::vector<Decision>;

  AdmissionQueue(int limit, const QueueOptions& options, absl::Time now);

  // Whether a call could start now: Enter() then does, without a name.
  bool HasRoom() const { return running_ < limit_ && !draining_; }
  void Enter(WaitingCall& call, absl::Time now);

  // So many may run from now on; those who wait are let in by the next Leave().
  void SetLimit(int limit, absl::Time now);

  // Decides now or later, about this call or others.
  void Arrive(WaitingCall& call, absl::Time now, absl::BitGenRef chance,
              Decisions* decisions);

  // Counts a call that cannot wait and found no room. When to come back.
  absl::Duration TurnAway(absl::Time now, absl::BitGenRef chance);

  // A call that was let in is over.
  void Leave(WaitingCall& call, absl::Time now, absl::BitGenRef chance,
             Decisions* decisions);

  // Refuses a call of `caller` before anybody has looked at it: its caller has
  // as many waiting as its share can serve, and was told not to come yet.
  absl::optional<absl::Duration> RefusedAtTheDoor(absl::string_view caller,
                                                  absl::Time now,
                                                  absl::BitGenRef chance);

  // To be called at WakeAt(), or any time.
  void Tick(absl::Time now, absl::BitGenRef chance, Decisions* decisions);
  absl::Time WakeAt() const;

  // From now on refuses all, those who wait first.
  void Drain(absl::Time now, absl::BitGenRef chance, Decisions* decisions);

  size_t waiting() const { return by_age_.size(); }
  int running() const { return running_; }
  bool newest_first() const { return newest_first_; }

 private:
  void Add(WaitingCall& call, absl::Time now);
  void Remove(WaitingCall& call);
  void Admit(WaitingCall& call, absl::Time now, Decisions* decisions);
  void Refuse(WaitingCall& call, Refusal why, absl::Time now,
              absl::BitGenRef chance, Decisions* decisions);
  void RefuseLate(absl::Time now, absl::BitGenRef chance, Decisions* decisions);
  void RefuseUnreachable(Caller& caller, absl::Time now, absl::BitGenRef chance,
                         Decisions* decisions);
  void Fill(absl::Time now, absl::BitGenRef chance, Decisions* decisions);

  void CountFull(absl::Time now) { rate_.SetFull(running_ >= limit_, now); }
  bool PastTarget(absl::Time now) const;
  // Calls of one caller that its share of the target's time can serve.
  size_t Room(absl::Time now) const;
  // How long until the last call of `caller` is reached, as things go.
  absl::Duration ReachOf(const Caller& caller, absl::Time now) const;
  absl::Duration Pushback(absl::Time now, absl::BitGenRef chance) const;
  int64_t Elapsed(absl::Time now) const;

  int limit_;
  const QueueOptions options_;
  const absl::Time start_;
  int running_ = 0;
  bool newest_first_ = false;
  bool draining_ = false;
  uint64_t sequences_ = 0;
  DrainRate rate_;
  RecentSum refused_{absl::Seconds(1)};
  FairCallers callers_;
  absl::btree_map<uint64_t, WaitingCall*> by_age_;
  absl::btree_set<std::pair<absl::Time, uint64_t>> by_refuse_at_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_ADMISSION_ADMISSION_QUEUE_H_
