// A call inside its handler.
//
// It is the hook under the call, through which all that the handler sends goes
// out: it sees the answer once, on its way, and ends the scope and the call's
// place at the gates with it.
//
//   EnteredCall(parts).RunSync(param, handler);
//   EnteredCall::RunCallback(std::make_unique<EnteredCall>(parts), ...);
//
// Thread-safety: as gRPC uses a call: its batches may come from any thread, its
//                answer comes once.
// Units:         instants of SteadyNow().
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_SERVER_ENTERED_CALL_H_
#define FORBEAR_INTERCEPTORS_SERVER_ENTERED_CALL_H_

#include <grpcpp/impl/call.h>
#include <grpcpp/impl/call_hook.h>
#include <grpcpp/impl/call_op_set_interface.h>
#include <grpcpp/impl/rpc_service_method.h>

#include <functional>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/admission/held_call.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/reply_cache/reply_cache.h"
#include "interceptors/server/call_deadline.h"
#include "interceptors/server/grpc_inside.h"
#include "interceptors/server/method_setup.h"
#include "interceptors/telemetry/recent_quantile.h"

namespace forbear {

class EnteredCall final : public grpc::internal::CallHook {
 public:
  using HandlerParameter = grpc::internal::MethodHandler::HandlerParameter;

  struct Parts {
    absl::string_view method;
    const MethodSetup& setup;
    std::shared_ptr<CallScope> scope;
    absl::Time entered;
    // Ends the call when its server's own deadline passes. May be null.
    std::unique_ptr<CallDeadline> deadline;
    // Told how long the handler took, if it succeeds. May be null.
    RecentQuantile* measured;
    // Keeps the answer for calls with the same key. May be null.
    std::shared_ptr<ReplyCache::Ticket> ticket;
    // Left when the call is answered. May be null.
    HeldCall* slot;
  };

  explicit EnteredCall(Parts parts) : parts_(std::move(parts)) {}
  ~EnteredCall() { LeaveSlot(); }

  // Sync handlers are done with their call when they return.
  void RunSync(const HandlerParameter& param,
               grpc::internal::MethodHandler& handler);

  // Callback handlers need not be: that their call is over, gRPC tells by
  // asking for another one.
  static void RunCallback(std::unique_ptr<EnteredCall> call,
                          const HandlerParameter& param,
                          grpc::internal::MethodHandler& handler);

 private:
  void Run(const HandlerParameter& param, std::function<void()> over,
           grpc::internal::MethodHandler& handler);
  void Over();
  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* batch,
                        grpc::internal::Call* call) override;
  void Settle(const inside::Answer& answer);
  void KeepReply(const inside::Answer& answer);
  void LeaveSlot();

  Parts parts_;
  std::function<void()> request_another_;  // Of callback handlers.
  const InFlight counted_{InFlight::kHandler};
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_ENTERED_CALL_H_
