// A server of so many slots on a manual clock, with the queue in front of it.
//
//   Station station(8, QueueOptions());
//   station.Send("caller", absl::Milliseconds(200), absl::Milliseconds(10));
//   station.clock().RunUntilIdle();
//   station.calls()[0].finished  // When it left its handler.
//
// Thread-safety: thread-compatible.
// Units:         absl::Duration since the station's start.
// Errors:        none.
#ifndef FORBEAR_TESTS_ADMISSION_STATION_H_
#define FORBEAR_TESTS_ADMISSION_STATION_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/admission/admission_queue.h"
#include "interceptors/admission/queue_options.h"
#include "interceptors/admission/waiting_call.h"
#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/pinned_chance.h"

namespace forbear {
namespace testing {

class Station {
 public:
  struct Call : WaitingCall {
    absl::Duration service;
    absl::Duration sent;
    absl::Duration timeout;
    absl::Duration pushback;
    absl::optional<absl::Duration> entered_at;
    absl::optional<absl::Duration> finished;
    absl::optional<absl::Duration> refused_at;
    absl::optional<AdmissionQueue::Refusal> refusal;

    // It ended before its caller gave up.
    bool good() const {
      return finished.has_value() && *finished <= sent + timeout;
    }
  };

  Station(int slots, const QueueOptions& options)
      : queue_(slots, options, clock_.Now()) {}

  // Asks at the door first, as a guard does.
  Call& Send(const std::string& caller, absl::Duration timeout,
             absl::Duration service, bool repeat = false);
  // Makes `send` happen `count` times, `every` so long, from now on.
  void Repeat(int count, absl::Duration every, std::function<void()> send);

  void Drain();

  ManualClock& clock() { return clock_; }
  AdmissionQueue& queue() { return queue_; }
  absl::Duration Now() const { return clock_.Now() - absl::UnixEpoch(); }
  const std::deque<Call>& calls() const { return calls_; }
  // In the order of their entering.
  const std::vector<const Call*>& entered() const { return entered_; }

 private:
  void Decide(const AdmissionQueue::Decisions& decisions);
  void SetTimer();

  ManualClock clock_;
  PinnedChance chance_ = PinnedChance::Bottom();
  AdmissionQueue queue_;
  std::deque<Call> calls_;
  std::vector<const Call*> entered_;
  absl::optional<ManualClock::Timer> timer_;
};

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_ADMISSION_STATION_H_
