// How many calls, attempts and the like are in flight in this process.
//
// It is there for tests: after everything has ended, each count must read 0.
// What is counted holds a member that counts it while it lives, so nothing can
// be forgotten on some way out.
//
//   class Attempt {
//     const InFlight counted_{InFlight::kAttempt};
//   };
//   EXPECT_EQ(InFlight::Count(InFlight::kAttempt), 0);  // After the call.
//
// Thread-safety: safe for concurrent use. Counts are relaxed: exact once the
//                threads that change them are known to be done.
// Units:         living objects.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CONTEXT_IN_FLIGHT_H_
#define FORBEAR_INTERCEPTORS_CONTEXT_IN_FLIGHT_H_

#include <atomic>

namespace forbear {

class InFlight {
 public:
  enum Kind : int {
    kCall,     // A client's logical call.
    kAttempt,  // One of its attempts.
    kAlarm,    // A timer that may still fire: a wait or a deadline.
    kHandler,  // A guarded server call, until gRPC is done with it.
    kScope,    // A CallScope, also one that somebody keeps.
    kHeld,     // A server call at the gates, or let in by them.
  };
  static constexpr int kKinds = kHeld + 1;

  explicit InFlight(Kind kind) : kind_(kind) {
    counts_[kind_].fetch_add(1, std::memory_order_relaxed);
  }
  ~InFlight() { counts_[kind_].fetch_sub(1, std::memory_order_relaxed); }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  static int Count(Kind kind) {
    return counts_[kind].load(std::memory_order_relaxed);
  }
  // Over all kinds.
  static int Total() {
    int total = 0;
    for (const auto& count : counts_) {
      total += count.load(std::memory_order_relaxed);
    }
    return total;
  }

 private:
  static inline std::atomic<int> counts_[kKinds] = {};

  const Kind kind_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CONTEXT_IN_FLIGHT_H_
