// What happened, told as events: for metrics, logs and tests.
//
//   class RefusedRetries : public forbear::Observer {
//     void CallEnded(const CallEnd& e) override { count_[e.verdict]++; }
//   };
//   options.observer = std::make_shared<RefusedRetries>();
//
// A started call ends once, a started attempt ends once, on every way out. The
// same holds for a handler that was entered; one that was refused is told once
// and neither enters nor ends.
//
// Thread-safety: implementations must be safe for concurrent use. They are
//                called on the call path, so they must not block.
// Units:         durations are elapsed time; attempts count from 1; a budget's
//                balance counts retries.
// Errors:        none; an observer cannot change what happens.
#ifndef FORBEAR_INTERCEPTORS_TELEMETRY_OBSERVER_H_
#define FORBEAR_INTERCEPTORS_TELEMETRY_OBSERVER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/policy/verdict.h"

namespace forbear {

class Observer {
 public:
  virtual ~Observer() = default;

  // Every string_view is valid during the event only. `method` is written as
  // gRPC writes it: "/package.Service/Method".

  // --- Client ---
  struct CallStart {
    absl::string_view method;
    absl::string_view target;
  };
  virtual void CallStarted(const CallStart&) {}

  struct AttemptStart {
    absl::string_view method;
    absl::string_view target;
    int attempt = 0;
    absl::Duration time;  // What it was given; infinite without a limit.
    bool hedge = false;   // Others were under way, and stayed so.
  };
  virtual void AttemptStarted(const AttemptStart&) {}

  struct AttemptFinish {
    absl::string_view method;
    absl::string_view target;
    int attempt = 0;
    absl::StatusCode code = absl::StatusCode::kOk;
    absl::Duration latency;
  };
  virtual void AttemptEnded(const AttemptFinish&) {}

  struct Wait {
    absl::string_view method;
    absl::string_view target;
    int next_attempt = 0;
    absl::Duration wait;
    double budget_balance = 0;  // After the retry was charged.
  };
  virtual void WaitScheduled(const Wait&) {}

  struct Refusal {
    absl::string_view method;
    absl::string_view target;
    int attempts = 0;
    absl::StatusCode code = absl::StatusCode::kOk;
    Verdict gate = Verdict::kPermanent;
    double budget_balance = 0;
  };
  // A failure was not retried, because a gate said no.
  virtual void RetryRefused(const Refusal&) {}

  struct CallFinish {
    absl::string_view method;
    absl::string_view target;
    int attempts = 0;
    absl::StatusCode code = absl::StatusCode::kOk;
    Verdict verdict = Verdict::kSucceeded;
    absl::Duration latency;
  };
  virtual void CallEnded(const CallFinish&) {}

  // --- Server ---
  struct HandlerStart {
    absl::string_view method;
    absl::Duration time_left;  // Infinite when the caller set no deadline.
    absl::Duration queued;     // How long it waited for its turn.
  };
  virtual void HandlerEntered(const HandlerStart&) {}

  enum class RefusalReason {
    kExpired,        // Its deadline had passed.
    kDoomed,         // It had less time left than configured.
    kTooSlow,        // It had less time left than its method takes.
    kOverloaded,     // It would not have been reached in time.
    kOverShare,      // The same, while other callers were waiting as well.
    kReturnedEarly,  // Its caller had been told to stay away for longer.
    kQueuedTooLong,  // It had waited as long as a call may.
    kKeyMisused,     // Its idempotency key is another request's, or no key.
    kReplyPending,   // The first with its key still ran when its time was up.
    kNoReplyStore,   // Nobody could say whether its key came before.
    kCallerGone,     // It was cancelled while it waited.
    kDraining,       // The server is about to stop.
  };
  struct HandlerRefusal {
    absl::string_view method;
    RefusalReason reason = RefusalReason::kExpired;
    absl::Duration time_left;
    bool enforced = true;  // False in observe mode: the handler then runs.
    absl::Duration queued;
    absl::Duration pushback;  // When it was told to come back; 0 if it was not.
  };
  virtual void HandlerRefused(const HandlerRefusal&) {}

  struct HandlerFinish {
    absl::string_view method;
    absl::StatusCode code = absl::StatusCode::kOk;
    absl::Duration latency;
    // The answer carried the signal that makes one layer retry.
    bool told_not_to_retry = false;
    // How much of the latency came after its deadline: work for nobody.
    absl::Duration past_deadline;
  };
  virtual void HandlerEnded(const HandlerFinish&) {}

  struct Replay {
    absl::string_view method;
    absl::StatusCode code = absl::StatusCode::kOk;
  };
  // A call was given the answer that its idempotency key was given before: its
  // handler neither enters nor ends. Many of these are an early sign of a
  // client whose timeout is too short.
  virtual void ReplyReplayed(const Replay&) {}
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_TELEMETRY_OBSERVER_H_
