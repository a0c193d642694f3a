// A method's handler with the guard in front of it.
//
// gRPC runs this in place of the user's handler. It asks whether there is time,
// enters the call's scope, runs the user's handler, and looks once at the
// answer as it leaves. Where the answer leaves is told by a hook under the
// call: gRPC hands each handler a Call, and a Call sends through a CallHook.
//
// Where there is a limit, it asks the gates first. A callback call can wait in
// here; a sync call has to be held before gRPC gives it a thread to keep
// (hold_interceptor.h), and comes in here when it is let go.
//
//   AddMethod(new RpcServiceMethod(
//       method.name(), method.method_type(),
//       new GuardedMethod(method, setup)));
//
// Thread-safety: safe for concurrent use, as gRPC uses handlers.
// Units:         durations are absl::Duration.
// Errors:        invalid options, given as `fault`, answer every call INTERNAL
//                with the fault's message.
#ifndef FORBEAR_INTERCEPTORS_SERVER_GUARDED_METHOD_H_
#define FORBEAR_INTERCEPTORS_SERVER_GUARDED_METHOD_H_

#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/server_context.h>

#include <functional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "interceptors/admission/held_call.h"
#include "interceptors/reply_cache/reply_cache.h"
#include "interceptors/server/earlier_replies.h"
#include "interceptors/server/method_setup.h"
#include "interceptors/server/refusal.h"
#include "interceptors/telemetry/observer.h"
#include "interceptors/telemetry/recent_quantile.h"

namespace forbear {

class GuardedMethod final : public grpc::internal::MethodHandler {
 public:
  // `method` has a handler and outlives this. If its calls cannot be refused,
  // the log says so now; they are then counted only.
  GuardedMethod(const grpc::internal::RpcServiceMethod& method,
                MethodSetup setup);

  void* Deserialize(grpc_call* call, grpc_byte_buffer* request,
                    grpc::Status* status, void** handler_data) override;
  void RunHandler(const HandlerParameter& param) override;

  // Whether Hold() is to be called for each call before its handler.
  bool holds() const {
    return !callback_ && (setup_.admission != nullptr || replies_.kept());
  }
  // Calls `proceed`, which runs the handler, when it is the call's turn.
  void Hold(grpc::ServerContextBase* context, const void* request,
            std::function<void()> proceed) const;

 private:
  class HeldSync;
  class HeldCallback;

  // What was said of a call before its handler.
  struct Passage {
    HeldCall::Verdict verdict;
    ReplyCache::Outcome known;
  };
  // That of the sync call that goes on on this thread.
  static thread_local const Passage* let_go_;

  HeldCall::Description Describe(grpc::ServerContextBase* context) const;
  // Time without which a call is not started: configured, and measured.
  absl::Duration MeasuredTime() const;
  absl::Duration LeastTime() const;
  // Runs the handler, or answers. True if whoever ends the call is to tell the
  // gates, by `slot`, that it is over.
  bool Go(const HandlerParameter& param, const Passage& passage,
          HeldCall* slot) const;
  // Why the call should not enter its handler, if it should not.
  absl::optional<Observer::RefusalReason> ReasonAgainst(
      const HandlerParameter& param, absl::Duration time_left,
      const HeldCall::Verdict& verdict) const;
  // Answers the call if it may not enter, and returns true.
  bool Refused(const HandlerParameter& param, absl::Duration time_left,
               const HeldCall::Verdict& verdict) const;

  const absl::string_view name_;
  const bool callback_;
  const bool unary_;
  grpc::internal::MethodHandler& handler_;
  const Refusal refusal_;
  const MethodSetup setup_;
  const ServerOptions& options_ = setup_.options;
  const bool enforces_;
  const EarlierReplies replies_;
  const grpc::Status fault_;
  // How long its handler takes, in the middle.
  mutable RecentQuantile measured_{0.5, /*least=*/100};
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_GUARDED_METHOD_H_
