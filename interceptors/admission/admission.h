// The gates in front of a server's handlers, and the threads behind them.
//
// A call passes the gate of its method, if that has a limit, and then the
// server's. Whoever waits holds no thread: the thread that brought it goes
// away, and it is run by the one whose call has just ended, or by one of ours.
//
//   Admission admission(8, QueueOptions());
//   Gate* gate = admission.AddGate(2);           // A method's own limit.
//   admission.Arrive(std::move(held), gate);     // Runs it now or later.
//
// Thread-safety: safe for concurrent use; gates are added before calls come.
//                Run() of any call may be run by Arrive() and by threads of its
//                own, and never by Leave(): who leaves may hold locks.
// Units:         absl::Duration.
// Errors:        none. No call is here when it is destroyed.
#ifndef FORBEAR_INTERCEPTORS_ADMISSION_ADMISSION_H_
#define FORBEAR_INTERCEPTORS_ADMISSION_ADMISSION_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/admission/adaptive_limit.h"
#include "interceptors/admission/admission_queue.h"
#include "interceptors/admission/held_call.h"
#include "interceptors/admission/queue_options.h"
#include "interceptors/admission/slot_threads.h"

namespace forbear {

class Gate {
 public:
  Gate(int limit, const QueueOptions& options, absl::Time now)
      : queue_(limit, options, now) {}

 private:
  friend class Admission;
  AdmissionQueue queue_;
};

class Admission {
 public:
  // A limit of 0 is none. With `least`, the limit finds itself between the two,
  // from what Took() is told.
  Admission(int limit, const QueueOptions& options, int least = 0);
  ~Admission();
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  Gate* AddGate(int limit);

  // Takes the call, runs it or keeps it, and deletes it in the end. May run
  // other calls, too, one after another, while they come. One that is not to be
  // kept runs at once, and takes room that others then do not have.
  void Arrive(std::unique_ptr<HeldCall> call, Gate* gate, bool keep = true);

  // The handler of a call whose Run() returned false is done.
  void Leave(HeldCall* call);

  // A unary handler took so long. It has not left yet.
  void Took(absl::Duration time);

  // For calls that cannot wait: takes room under both limits until LeaveRoom(),
  // and returns nothing; or says when to come back, if there is none. One that
  // is not to be turned away takes its room all the same.
  absl::optional<absl::Duration> EnterOrTurnAway(Gate* gate, bool turn_away);
  void LeaveRoom(Gate* gate);

  // Whether callers of early return are to be asked for at the door.
  bool Crowded() const { return crowded_.load(std::memory_order_relaxed); }
  absl::optional<absl::Duration> RefusedAtTheDoor(Gate* gate,
                                                  absl::string_view caller);

  // Refuses all that wait and all that come.
  void Drain();

  // Calls that wait.
  size_t waiting() const;

 private:
  using Decisions = AdmissionQueue::Decisions;
  struct Ready {
    HeldCall* call;
    HeldCall::Verdict verdict;
  };
  using Readies = std::vector<Ready>;

  bool HasRoom(const Gate* gate) const;
  bool EnterAtOnce(HeldCall& call, HeldCall::Verdict* verdict, bool keep);
  Readies Queue(HeldCall& call);
  Readies LeaveGates(HeldCall& call);
  // Takes what was decided at one gate to the next, until all are decided.
  Readies Follow(Decisions at_method, Decisions at_server, absl::Time now);
  // Runs the call, and after it those that take its place.
  void RunOn(Ready ready);
  static void Refuse(const Ready& ready);
  // On other threads than this.
  void RunElsewhere(Readies readies);
  Readies LookForLate(absl::Time now);
  void Noted();  // Under the lock, after any change.
  void Watch();

  const QueueOptions options_;
  mutable std::mutex mutex_;  // Guards what follows, until the threads.
  std::unique_ptr<Gate> server_;
  absl::optional<AdaptiveLimit> adaptive_;  // Of the server.
  std::vector<std::unique_ptr<Gate>> gates_;
  Readies refused_;  // For the watcher to tell.
  absl::Time wake_at_ = absl::InfiniteFuture();
  bool stopping_ = false;
  std::condition_variable watch_;

  std::atomic<bool> crowded_{false};
  SlotThreads threads_;
  std::thread watcher_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_ADMISSION_ADMISSION_H_
