// One call, as the admission queue knows it.
//
//   struct Held : WaitingCall { ... };
//   held.caller = "10.0.0.7";
//   held.latest_start = deadline - least_time;
//   queue.Arrive(held, now, chance, &decisions);
//
// Its owner keeps it in place from its arrival until it was refused or has
// left.
//
// Thread-safety: thread-compatible; the queue's while it is there.
// Units:         instants of the clock that drives the queue.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_ADMISSION_WAITING_CALL_H_
#define FORBEAR_INTERCEPTORS_ADMISSION_WAITING_CALL_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "interceptors/context/urgency.h"

namespace forbear {

class Caller;

struct WaitingCall {
  // Who asks: calls of one name share what one caller may have.
  std::string caller;
  // When it has too little time left to be worth starting.
  absl::Time latest_start = absl::InfiniteFuture();
  // By the word of a peer that is believed: 0 is the most urgent, 7 the least;
  // and whether it is a retry or a hedge.
  int urgency = kUsualUrgency;
  bool repeat = false;

  // --- The queue's own ---
  Caller* from = nullptr;  // Null if it entered without waiting.
  uint64_t sequence = 0;
  absl::Time arrived;
  absl::Time refuse_at;
  absl::Time entered;
  absl::Duration charged;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_ADMISSION_WAITING_CALL_H_
