#include "interceptors/server/guarded_method.h"

#include <grpc/slice.h>
#include <grpc/support/log.h>
#include <grpcpp/impl/call.h>
#include <grpcpp/impl/call_hook.h>
#include <grpcpp/impl/call_op_set_interface.h>
#include <grpcpp/server_context.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "interceptors/context/call_scope.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/server/answer.h"
#include "interceptors/server/entry_check.h"
#include "interceptors/server/grpc_inside.h"
#include "interceptors/server/inbound.h"

namespace forbear {
namespace {

using grpc::internal::Call;
using grpc::internal::CallOpSetInterface;
using grpc::internal::MethodHandler;
using HandlerParameter = MethodHandler::HandlerParameter;
using ApiType = grpc::internal::RpcServiceMethod::ApiType;

absl::string_view View(const grpc_slice& slice) {
  return {reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)),
          GRPC_SLICE_LENGTH(slice)};
}

std::shared_ptr<CallScope> ScopeOf(grpc::ServerContextBase* context,
                                   absl::Time deadline) {
  CallScope::Inbound inbound;
  inbound.deadline = deadline;
  inbound.call = context->c_call();
  inbound.is_cancelled = [context] { return context->IsCancelled(); };
  const grpc_metadata_array& metadata = inside::ReceivedMetadata(*context);
  InboundKey key;
  for (size_t i = 0; i < metadata.count; ++i) {
    key.See(View(metadata.metadata[i].key), View(metadata.metadata[i].value));
  }
  inbound.idempotency_key = key.Copy();
  return std::make_shared<CallScope>(std::move(inbound));
}

// A call inside its handler. It is the hook under the call, through which all
// that the handler sends goes out.
class EnteredCall final : public grpc::internal::CallHook {
 public:
  EnteredCall(absl::string_view method, const ServerOptions& options,
              std::shared_ptr<CallScope> scope, absl::Time entered)
      : method_(method),
        options_(options),
        scope_(std::move(scope)),
        entered_(entered) {}

  // Sync handlers are done with their call when they return.
  void RunSync(const HandlerParameter& param, MethodHandler& handler) {
    Run(param, nullptr, handler);
  }

  // Callback handlers need not be: that their call is over, gRPC tells by
  // asking for another one.
  static void RunCallback(std::unique_ptr<EnteredCall> owned,
                          const HandlerParameter& param,
                          MethodHandler& handler) {
    EnteredCall* call = owned.release();
    call->request_another_ = param.call_requester;
    call->Run(
        param, [call] { call->Over(); }, handler);
  }

 private:
  void Run(const HandlerParameter& param, std::function<void()> over,
           MethodHandler& handler) {
    const CallScope::Enter inside_scope(scope_);
    Call call(param.call->call(), this, param.call->cq(),
              param.call->max_receive_message_size(),
              param.call->server_rpc_info());
    handler.RunHandler(HandlerParameter(&call, param.server_context,
                                        param.request, param.status,
                                        param.internal_data, std::move(over)));
  }

  void Over() {
    const std::function<void()> request_another = std::move(request_another_);
    delete this;
    request_another();
  }

  void PerformOpsOnCall(CallOpSetInterface* batch, Call* call) override {
    if (const auto answer = inside::AnswerIn(batch)) Settle(*answer);
    batch->FillOps(call);  // After an answer, this object may be gone.
  }

  void Settle(const inside::Answer& answer) {
    const absl::StatusCode code = AnswerCode(answer.code);
    const bool told_not_to_retry =
        SettleAnswer(*scope_, code, options_.mode, answer.trailers);
    scope_->End();
    if (options_.observer == nullptr) return;
    options_.observer->HandlerEnded(
        {method_, code, SteadyNow() - entered_, told_not_to_retry});
  }

  const absl::string_view method_;
  const ServerOptions& options_;
  const std::shared_ptr<CallScope> scope_;
  const absl::Time entered_;
  std::function<void()> request_another_;  // Of callback handlers.
  const InFlight counted_{InFlight::kHandler};
};

grpc::Status ToGrpc(const absl::Status& status) {
  return status.ok() ? grpc::Status::OK
                     : grpc::Status(grpc::StatusCode::INTERNAL,
                                    std::string(status.message()));
}

}  // namespace

GuardedMethod::GuardedMethod(const grpc::internal::RpcServiceMethod& method,
                             ServerOptions options, const absl::Status& fault)
    : name_(method.name()),
      callback_(method.api_type() == ApiType::CALL_BACK ||
                method.api_type() == ApiType::RAW_CALL_BACK),
      handler_(*method.handler()),
      refusal_(method),
      options_(std::move(options)),
      fault_(ToGrpc(fault)) {
  if (!refusal_.possible()) {
    gpr_log(GPR_ERROR,
            "forbear: late calls of %s are counted, not refused: its requests "
            "are not protocol buffers, or its handler is not gRPC's",
            method.name());
  }
}

void* GuardedMethod::Deserialize(grpc_call* call, grpc_byte_buffer* request,
                                 grpc::Status* status, void** handler_data) {
  return handler_.Deserialize(call, request, status, handler_data);
}

void GuardedMethod::RunHandler(const HandlerParameter& param) {
  // The request could not be read: no handler will see it.
  if (!param.status.ok()) return handler_.RunHandler(param);
  if (!fault_.ok() && refusal_.possible()) {
    return refusal_.Answer(param, fault_);
  }
  const absl::Time now = SteadyNow();
  const absl::Time deadline = InboundDeadline(*param.server_context, now);
  if (Refused(param, deadline - now)) return;

  if (options_.observer != nullptr) {
    options_.observer->HandlerEntered({name_, deadline - now});
  }
  auto scope = ScopeOf(param.server_context, deadline);
  if (callback_) {
    EnteredCall::RunCallback(
        std::make_unique<EnteredCall>(name_, options_, std::move(scope), now),
        param, handler_);
  } else {
    EnteredCall(name_, options_, std::move(scope), now)
        .RunSync(param, handler_);
  }
}

bool GuardedMethod::Refused(const HandlerParameter& param,
                            absl::Duration time_left) {
  const auto reason = CheckEntry(time_left, options_.minimum_time_left);
  if (!reason.has_value()) return false;
  const bool enforced = options_.mode == Mode::kEnforce && refusal_.possible();
  if (options_.observer != nullptr) {
    options_.observer->HandlerRefused({name_, *reason, time_left, enforced});
  }
  if (enforced) {
    refusal_.Answer(param, {grpc::StatusCode::DEADLINE_EXCEEDED,
                            RefusalMessage(*reason, time_left,
                                           options_.minimum_time_left)});
  }
  return enforced;
}

}  // namespace forbear
