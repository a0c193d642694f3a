// A call that its service takes from a completion queue, or by a generic one.
//
// Such a service has no handler to guard: it asks for itself, once, when a call
// has come, and says when it answers. Between the two it is counted like any
// handler, takes a place under the limits, and has a scope to enter.
//
//   auto call = guard.Enter(context, "/shop.Routes/Estimate",
//                           [&](const grpc::Status& status) {
//                             writer.FinishWithError(status, tag);
//                           });
//   if (call == nullptr) return;             // Answered: it may not go on.
//   CallScope::Enter in(call->scope());      // Its calls inherit from it.
//   call->Ends(status);                      // Then, and not before:
//   writer.Finish(reply, status, tag);
//
// Such a call does not wait for its turn: where there is no room, it is told
// when to come back. It has no part in the reply cache.
//
// Thread-safety: a call's own: one thread at a time.
// Units:         none.
// Errors:        a call that is destroyed without Ends() counts as CANCELLED.
#ifndef FORBEAR_INTERCEPTORS_SERVER_GUARDED_CALL_H_
#define FORBEAR_INTERCEPTORS_SERVER_GUARDED_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "interceptors/admission/admission.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/server/call_deadline.h"
#include "interceptors/server/method_setup.h"

namespace forbear {

class GuardedCall {
 public:
  using Refuse = std::function<void(const grpc::Status&)>;

  // Null if it may not go on; `refuse` has then been called.
  static std::unique_ptr<GuardedCall> Enter(grpc::ServerContextBase* context,
                                            std::string method,
                                            const MethodSetup& setup,
                                            const Refuse& refuse);
  ~GuardedCall();
  GuardedCall(const GuardedCall&) = delete;
  GuardedCall& operator=(const GuardedCall&) = delete;

  const std::shared_ptr<CallScope>& scope() const { return scope_; }

  // Its answer is about to be sent, with this status.
  void Ends(const grpc::Status& status);

 private:
  GuardedCall(grpc::ServerContextBase* context, std::string method,
              const MethodSetup& setup, absl::Time entered, absl::Time deadline,
              bool in_room);

  grpc::ServerContextBase* const context_;
  const std::string method_;
  const MethodSetup setup_;
  const absl::Time entered_;
  std::shared_ptr<CallScope> scope_;
  std::unique_ptr<CallDeadline> deadline_;
  bool in_room_;
  bool ended_ = false;
  const InFlight counted_{InFlight::kHandler};
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_GUARDED_CALL_H_
