#include "interceptors/server/entered_call.h"

#include <google/protobuf/message_lite.h>

#include <utility>

#include "interceptors/admission/admission.h"
#include "interceptors/context/clock.h"
#include "interceptors/server/answer.h"

namespace forbear {

using grpc::internal::Call;
using grpc::internal::CallOpSetInterface;
using grpc::internal::MethodHandler;

void EnteredCall::RunSync(const HandlerParameter& param,
                          MethodHandler& handler) {
  Run(param, nullptr, handler);
}

void EnteredCall::RunCallback(std::unique_ptr<EnteredCall> owned,
                              const HandlerParameter& param,
                              MethodHandler& handler) {
  EnteredCall* call = owned.release();
  call->request_another_ = param.call_requester;
  call->Run(
      param, [call] { call->Over(); }, handler);
}

void EnteredCall::Run(const HandlerParameter& param, std::function<void()> over,
                      MethodHandler& handler) {
  const CallScope::Enter inside_scope(parts_.scope);
  // Without it, the interceptor that holds sync calls sees none of their
  // batches. What watches a callback call for its end wants it.
  const bool intercepted =
      request_another_ != nullptr || *parts_.setup.others_intercept;
  Call call(param.call->call(), this, param.call->cq(),
            param.call->max_receive_message_size(),
            intercepted ? param.call->server_rpc_info() : nullptr);
  handler.RunHandler(HandlerParameter(&call, param.server_context,
                                      param.request, param.status,
                                      param.internal_data, std::move(over)));
}

void EnteredCall::Over() {
  const std::function<void()> request_another = std::move(request_another_);
  delete this;
  request_another();
}

void EnteredCall::PerformOpsOnCall(CallOpSetInterface* batch, Call* call) {
  if (const auto answer = inside::AnswerIn(batch)) Settle(*answer);
  batch->FillOps(call);  // After an answer, this object may be gone.
}

void EnteredCall::Settle(const inside::Answer& answer) {
  const absl::Time now = SteadyNow();
  const bool too_long =
      parts_.deadline != nullptr && parts_.deadline->Over(now);
  const absl::StatusCode code =
      too_long ? absl::StatusCode::kDeadlineExceeded : AnswerCode(answer.code);
  const ServerOptions& options = parts_.setup.options;
  const bool told_not_to_retry =
      SettleAnswer(*parts_.scope, code, options.mode, answer.trailers);
  KeepReply(answer);
  parts_.scope->End();
  const absl::Duration latency = now - parts_.entered;
  if (parts_.measured != nullptr && code == absl::StatusCode::kOk) {
    parts_.measured->Record(latency, now);
  }
  // What failed at once says nothing of how long the others take.
  if (parts_.measured != nullptr && parts_.setup.admission != nullptr &&
      (code == absl::StatusCode::kOk ||
       code == absl::StatusCode::kDeadlineExceeded)) {
    parts_.setup.admission->Took(latency);
  }
  if (options.observer != nullptr) {
    options.observer->HandlerEnded(
        {parts_.method, code, latency, told_not_to_retry,
         PastDeadline(parts_.entered, parts_.scope->deadline(), now)});
  }
  LeaveSlot();
}

void EnteredCall::KeepReply(const inside::Answer& answer) {
  const auto ticket = std::move(parts_.ticket);  // Drops the key, unless kept.
  const bool ok = answer.code == GRPC_STATUS_OK;
  if (ticket == nullptr || (!ok && parts_.scope->not_applied())) return;
  StoredReply reply{static_cast<int>(answer.code), *answer.message,
                    *answer.details, "", *answer.trailers};
  if (ok && answer.response != nullptr) {
    reply.payload =
        static_cast<const google::protobuf::MessageLite*>(answer.response)
            ->SerializeAsString();
  }
  ticket->Keep(reply);
}

void EnteredCall::LeaveSlot() {
  if (HeldCall* const slot = std::exchange(parts_.slot, nullptr)) {
    parts_.setup.admission->Leave(slot);
  }
}

}  // namespace forbear
