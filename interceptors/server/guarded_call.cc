#include "interceptors/server/guarded_call.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/server/answer.h"
#include "interceptors/server/entry_check.h"
#include "interceptors/server/grpc_inside.h"
#include "interceptors/server/inbound.h"
#include "interceptors/server/inbound_scope.h"
#include "interceptors/server/own_deadline.h"

namespace forbear {
namespace {

using Reason = Observer::RefusalReason;

void Answer(grpc::ServerContextBase* context, Reason reason,
            const std::string& message, absl::optional<absl::Duration> pushback,
            const GuardedCall::Refuse& refuse) {
  context->AddTrailingMetadata(std::string(kNotAppliedKey),
                               std::string(kNotAppliedValue));
  if (pushback.has_value()) {
    context->AddTrailingMetadata(
        std::string(kPushbackKey),
        absl::StrCat(absl::ToInt64Milliseconds(*pushback)));
  }
  refuse({static_cast<grpc::StatusCode>(RefusalCode(reason)), message});
}

}  // namespace

std::unique_ptr<GuardedCall> GuardedCall::Enter(
    grpc::ServerContextBase* context, std::string method,
    const MethodSetup& setup, const Refuse& refuse) {
  const ServerOptions& options = setup.options;
  const absl::Time now = SteadyNow();
  const absl::Time deadline = InboundDeadline(*context, now);
  const absl::Duration left = deadline - now;
  const bool enforces = options.mode == Mode::kEnforce;

  absl::optional<Reason> reason = CheckEntry(left, options.minimum_time_left);
  absl::optional<absl::Duration> pushback;
  bool in_room = false;
  if (setup.admission != nullptr && !(reason.has_value() && enforces)) {
    pushback = setup.admission->EnterOrTurnAway(setup.gate, enforces);
    in_room = !pushback.has_value() || !enforces;
    if (pushback.has_value() && !reason.has_value()) {
      reason = Reason::kOverloaded;
    }
  }
  if (reason.has_value() && options.observer != nullptr) {
    options.observer->HandlerRefused({method,
                                      *reason,
                                      left,
                                      enforces,
                                      {},
                                      pushback.value_or(absl::ZeroDuration())});
  }
  if (reason.has_value() && enforces) {
    Answer(context, *reason,
           RefusalMessage(*reason, left, options.minimum_time_left), pushback,
           refuse);
    return nullptr;
  }
  if (options.observer != nullptr) {
    options.observer->HandlerEntered({method, left, {}});
  }
  return std::unique_ptr<GuardedCall>(new GuardedCall(
      context, std::move(method), setup, now, deadline, in_room));
}

GuardedCall::GuardedCall(grpc::ServerContextBase* context, std::string method,
                         const MethodSetup& setup, absl::Time entered,
                         absl::Time deadline, bool in_room)
    : context_(context),
      method_(std::move(method)),
      setup_(setup),
      entered_(entered),
      in_room_(in_room) {
  const absl::Time own = OwnDeadline(setup_.options, deadline, entered);
  // Nobody may ask a completion queue's context whether it is cancelled.
  scope_ = InboundScope(context, own, nullptr);
  if (own < deadline) {
    deadline_ = std::make_unique<CallDeadline>(context->c_call(), entered,
                                               own - entered);
  }
}

void GuardedCall::Ends(const grpc::Status& status) {
  if (std::exchange(ended_, true)) return;
  const absl::Time now = SteadyNow();
  const bool too_long = deadline_ != nullptr && deadline_->Over(now);
  const absl::StatusCode code = too_long ? absl::StatusCode::kDeadlineExceeded
                                         : AnswerCode(status.error_code());
  const bool told_not_to_retry = SettleAnswer(
      *scope_, code, setup_.options.mode, &inside::TrailersOf(*context_));
  scope_->End();
  if (setup_.options.observer != nullptr) {
    setup_.options.observer->HandlerEnded(
        {method_, code, now - entered_, told_not_to_retry,
         PastDeadline(entered_, scope_->deadline(), now)});
  }
  if (in_room_) setup_.admission->LeaveRoom(setup_.gate);
}

GuardedCall::~GuardedCall() { Ends(grpc::Status::CANCELLED); }

}  // namespace forbear
