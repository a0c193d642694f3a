// A call that is kept from its handler until it is its turn.
//
//   struct Held : HeldCall {
//     Description Describe() override { return {"10.0.0.7", latest}; }
//     bool Run(const Verdict& verdict) override { ...; return true; }
//   };
//   admission.Arrive(std::make_unique<Held>(), gate);
//
// Thread-safety: used by one thread at a time.
// Units:         see AdmissionQueue.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_ADMISSION_HELD_CALL_H_
#define FORBEAR_INTERCEPTORS_ADMISSION_HELD_CALL_H_

#include <string>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/admission/admission_queue.h"
#include "interceptors/admission/waiting_call.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/context/urgency.h"

namespace forbear {

class Gate;

class HeldCall {
 public:
  struct Verdict {
    absl::optional<AdmissionQueue::Refusal> refusal;
    absl::Duration pushback;
    absl::Duration waited;
    // It was let in past the limit, for it was not to be kept.
    bool over_limit = false;
  };

  // Who calls, and until when it is worth starting. It is asked for only when
  // the call cannot start at once.
  struct Description {
    std::string caller;
    absl::Time latest_start = absl::InfiniteFuture();
    int urgency = kUsualUrgency;
    bool repeat = false;
  };

  HeldCall() = default;
  virtual ~HeldCall() = default;
  HeldCall(const HeldCall&) = delete;
  HeldCall& operator=(const HeldCall&) = delete;

  virtual Description Describe() = 0;

  // Whether Run() may block its thread, as sync handlers do.
  virtual bool Blocks() const = 0;

  // Enters the handler, or answers in its place; once. True if the handler is
  // done when this returns; otherwise whoever knows calls Admission::Leave().
  virtual bool Run(const Verdict& verdict) = 0;

 private:
  friend class Admission;

  // Its place at one gate.
  struct Stage : WaitingCall {
    HeldCall* call = nullptr;
  };
  const InFlight counted_{InFlight::kHeld};
  Gate* gate_ = nullptr;  // Its method's, or null.
  Stage at_method_, at_server_;
  absl::Time arrived_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_ADMISSION_HELD_CALL_H_
