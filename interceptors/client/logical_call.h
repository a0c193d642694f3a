// One call as its caller sees it, whatever it takes underneath.
//
// Joins the engine to its surroundings: each event goes to the engine and to
// the observer, and the end of a call leaves its traces (the phrase in the
// status, the give-up note in the inbound scope, a hint in the log). How
// attempts are made and waits are waited is for those who drive it.
//
// Not part of the library's API.
//
// Thread-safety: thread-compatible; events come one at a time.
// Units:         instants of SteadyNow().
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_LOGICAL_CALL_H_
#define FORBEAR_INTERCEPTORS_CLIENT_LOGICAL_CALL_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <map>
#include <memory>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/client/attempt.h"
#include "interceptors/client/call_options.h"
#include "interceptors/client/client_core.h"
#include "interceptors/client/latest.h"
#include "interceptors/client/parent.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/policy/retry_call.h"

namespace forbear {

class LogicalCall {
 public:
  // Adds to the `metadata` that it will send an idempotency key where its
  // policy wants one and it has none. `options`: CallOptions::CopyOf() of the
  // call's context, taken where the call is created.
  LogicalCall(std::shared_ptr<ClientCore> core, InUse<Method> method,
              Parent parent, std::multimap<std::string, std::string>* metadata,
              std::unique_ptr<const CallOptions> options = nullptr);

  // Starts the engine; `deadline` is the context's own. Finished at once: the
  // call is not to be sent, and fails with UnsentStatus().
  Step Start(absl::Time now, absl::Time deadline);

  // To be told when an attempt goes out, and how it ended. An attempt that
  // failed while the call was `cancelled` is not asked about any further.
  void AttemptStarted(const Step& step);
  // `debug_string` is gRPC's own word on a failure; `attempt` is 0 for the only
  // one under way.
  Step AttemptEnded(
      absl::Time now, const grpc::Status& status,
      const std::multimap<grpc::string_ref, grpc::string_ref>& trailers,
      absl::string_view debug_string, bool cancelled, int attempt = 0);
  // Of an attempt that was under way when the call had its end.
  void AttemptLost(absl::Time now, const grpc::Status& status, int attempt);
  Step TimerFired(absl::Time now);
  Step Cancelled() { return engine_.Cancelled(); }
  void Commit() { engine_.Commit(); }
  // The same for a stream whose answer has begun: it took until `now`.
  void AnswerBegun(absl::Time now);
  // Gives each attempt in turn: the call is of a kind that is not hedged.
  void DoNotHedge() { engine_.DoNotHedge(); }

  // The status for the caller: `status` is that of the last attempt.
  grpc::Status Finish(const Step& last, const grpc::Status& status);

  // A success that needs no word to anybody: see DirectCall.
  void SucceededAtFirst();

  // Whether the caller may be told that nothing was applied.
  bool not_applied() const { return engine_.not_applied(); }
  grpc::Status UnsentStatus() const;
  int attempts() const { return engine_.attempts(); }
  // Attempts that have not ended, as far as the engine was told.
  int under_way() const { return engine_.under_way(); }
  // The earliest of all that bounds the call.
  absl::Time deadline() const { return engine_.deadline(); }

  Observer* observer() const { return core_->observer(); }
  const Method& method() const { return *method_; }
  // The method's, as the call's own options have it.
  const MethodPolicy& policy() const {
    return own_ == nullptr ? *method_->policy : own_->policy;
  }
  const Parent& parent() const { return parent_; }

 private:
  struct UnderWay {
    int attempt;
    absl::Duration time;  // What it was given,
    absl::Time started;   // and since when.
  };

  // Of a call that has options of its own.
  struct Own {
    std::unique_ptr<const CallOptions> options;
    MethodPolicy policy;
  };

  static std::unique_ptr<const Own> OwnOf(
      const Method& method, std::unique_ptr<const CallOptions> options);
  CallFacts Facts(std::multimap<std::string, std::string>* metadata) const;
  bool PlansAttempts() const;
  UnderWay Take(int attempt);
  void StepAside();
  void Measure(absl::Time now);
  void HintOnce() const;

  const InFlight counted_{InFlight::kCall};
  const std::shared_ptr<ClientCore> core_;
  const InUse<Method> method_;
  const std::unique_ptr<const Own> own_;
  const Parent parent_;
  const std::shared_ptr<CallScope> scope_;  // Null outside any handler.
  const RetryBudgets budgets_;
  RetryCall engine_;
  bool announced_ = false;  // The observer knows of the call.
  bool failed_ = false;     // An attempt has.
  absl::InlinedVector<UnderWay, 1> under_way_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_LOGICAL_CALL_H_
