#include "interceptors/server/guarded_method.h"

#include <grpc/support/log.h>
#include <grpcpp/server_context.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "interceptors/admission/admission.h"
#include "interceptors/admission/admission_queue.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/context/urgency.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/server/call_deadline.h"
#include "interceptors/server/door.h"
#include "interceptors/server/entered_call.h"
#include "interceptors/server/entry_check.h"
#include "interceptors/server/grpc_inside.h"
#include "interceptors/server/inbound.h"
#include "interceptors/server/inbound_scope.h"
#include "interceptors/server/own_deadline.h"
#include "interceptors/server/peer.h"

namespace forbear {
namespace {

using grpc::internal::MethodHandler;
using HandlerParameter = MethodHandler::HandlerParameter;
using ApiType = grpc::internal::RpcServiceMethod::ApiType;

grpc::Status ToGrpc(const absl::Status& status) {
  return status.ok() ? grpc::Status::OK
                     : grpc::Status(grpc::StatusCode::INTERNAL,
                                    std::string(status.message()));
}

void AddPushback(grpc::ServerContextBase* context, absl::Duration pushback) {
  context->AddTrailingMetadata(
      std::string(kPushbackKey),
      absl::StrCat(absl::ToInt64Milliseconds(pushback)));
}

}  // namespace

thread_local const GuardedMethod::Passage* GuardedMethod::let_go_ = nullptr;

class GuardedMethod::HeldSync final : public HeldCall {
 public:
  HeldSync(const GuardedMethod& method, grpc::ServerContextBase* context,
           std::function<void()> proceed, ReplyCache::Outcome known)
      : method_(method),
        context_(context),
        proceed_(std::move(proceed)),
        known_(std::move(known)) {}

  Description Describe() override { return method_.Describe(context_); }
  bool Blocks() const override { return true; }
  bool Run(const Verdict& verdict) override {
    const Passage passage{verdict, std::move(known_)};
    let_go_ = &passage;
    proceed_();
    return true;
  }

 private:
  const GuardedMethod& method_;
  grpc::ServerContextBase* const context_;
  const std::function<void()> proceed_;
  ReplyCache::Outcome known_;
};

class GuardedMethod::HeldCallback final : public HeldCall {
 public:
  HeldCallback(const GuardedMethod& method, const HandlerParameter& param,
               ReplyCache::Outcome known)
      : method_(method), param_(param), known_(std::move(known)) {}

  Description Describe() override {
    return method_.Describe(param_.server_context);
  }
  bool Blocks() const override { return false; }
  bool Run(const Verdict& verdict) override {
    // It may be gone before Go() returns.
    return !method_.Go(param_, {verdict, std::move(known_)}, this);
  }

 private:
  const GuardedMethod& method_;
  const HandlerParameter param_;
  ReplyCache::Outcome known_;
};

GuardedMethod::GuardedMethod(const grpc::internal::RpcServiceMethod& method,
                             MethodSetup setup)
    : name_(method.name()),
      callback_(method.api_type() == ApiType::CALL_BACK ||
                method.api_type() == ApiType::RAW_CALL_BACK),
      unary_(method.method_type() == grpc::internal::RpcMethod::NORMAL_RPC),
      handler_(*method.handler()),
      refusal_(method),
      setup_(std::move(setup)),
      enforces_(options_.mode == Mode::kEnforce && refusal_.possible()),
      replies_(name_, options_, refusal_,
               enforces_ && refusal_.is_plain_unary()),
      fault_(ToGrpc(setup_.fault)) {
  if (!refusal_.possible()) {
    gpr_log(GPR_ERROR,
            "forbear: late calls of %s are counted, not refused: its requests "
            "are not protocol buffers, or its handler is not gRPC's",
            method.name());
  }
}

void* GuardedMethod::Deserialize(grpc_call* call, grpc_byte_buffer* request,
                                 grpc::Status* status, void** handler_data) {
  if (enforces_ && setup_.admission != nullptr && setup_.admission->Crowded()) {
    const auto pushback = setup_.admission->RefusedAtTheDoor(
        setup_.gate, CallerOf(call, options_.caller_of));
    if (pushback.has_value()) {
      grpc_byte_buffer_destroy(request);
      *status = RefusedAtTheDoor(*pushback);
      return nullptr;
    }
  }
  return handler_.Deserialize(call, request, status, handler_data);
}

void GuardedMethod::Hold(grpc::ServerContextBase* context, const void* request,
                         std::function<void()> proceed) const {
  replies_.Ask(
      context, request,
      [this, context, proceed = std::move(proceed)](ReplyCache::Outcome known) {
        if (setup_.admission != nullptr &&
            known.kind == ReplyCache::Outcome::kRun) {
          setup_.admission->Arrive(
              std::make_unique<HeldSync>(*this, context, proceed,
                                         std::move(known)),
              setup_.gate, enforces_);
          return;
        }
        const Passage passage{{}, std::move(known)};
        let_go_ = &passage;
        proceed();
      });
}

// A stream lasts as long as its caller wants: that is no time it needs.
absl::Duration GuardedMethod::MeasuredTime() const {
  if (!unary_) return absl::ZeroDuration();
  const absl::Duration time = measured_.Get(SteadyNow());
  return time == absl::InfiniteDuration() ? absl::ZeroDuration() : time;
}

absl::Duration GuardedMethod::LeastTime() const {
  return options_.enforce_measured_time
             ? std::max(options_.minimum_time_left, MeasuredTime())
             : options_.minimum_time_left;
}

HeldCall::Description GuardedMethod::Describe(
    grpc::ServerContextBase* context) const {
  HeldCall::Description description;
  description.caller = CallerOf(context->c_call(), options_.caller_of);
  description.latest_start =
      InboundDeadline(*context, SteadyNow()) - LeastTime();
  const auto& trusted = options_.trusted_peers;
  if (std::find(trusted.begin(), trusted.end(), description.caller) !=
      trusted.end()) {
    inside::ForEachReceived(*context, [&description](absl::string_view name,
                                                     absl::string_view value) {
      description.repeat |= name == kPreviousAttemptsKey;
      if (name == kPriorityKey) description.urgency = UrgencyIn(value);
    });
  }
  return description;
}

void GuardedMethod::RunHandler(const HandlerParameter& param) {
  const Passage* const let_go = std::exchange(let_go_, nullptr);
  // The request could not be read: no handler will see it.
  if (!param.status.ok()) {
    const auto pushback = PushbackAtTheDoor(param.status);
    if (!pushback.has_value()) return handler_.RunHandler(param);
    Refused(param, absl::InfiniteDuration(),
            {AdmissionQueue::Refusal::kReturnedEarly, *pushback, {}, false});
    return;
  }
  if (!fault_.ok() && refusal_.possible()) {
    return refusal_.Answer(param, fault_);
  }
  if (!callback_) {
    Go(param, let_go == nullptr ? Passage() : *let_go, nullptr);
    return;
  }
  replies_.Ask(param.server_context, param.request,
               [this, param](ReplyCache::Outcome known) {
                 if (setup_.admission != nullptr &&
                     known.kind == ReplyCache::Outcome::kRun) {
                   setup_.admission->Arrive(std::make_unique<HeldCallback>(
                                                *this, param, std::move(known)),
                                            setup_.gate, enforces_);
                 } else {
                   Go(param, {{}, std::move(known)}, nullptr);
                 }
               });
}

bool GuardedMethod::Go(const HandlerParameter& param, const Passage& passage,
                       HeldCall* slot) const {
  if (replies_.Give(param, passage.known)) return false;
  const HeldCall::Verdict& verdict = passage.verdict;
  const absl::Time now = SteadyNow();
  const absl::Time deadline = InboundDeadline(*param.server_context, now);
  if (Refused(param, deadline - now, verdict)) return false;

  if (options_.observer != nullptr) {
    options_.observer->HandlerEntered({name_, deadline - now, verdict.waited});
  }
  const absl::Time own = OwnDeadline(options_, deadline, now);
  EnteredCall::Parts parts{
      name_,
      setup_,
      InboundScope(
          param.server_context, own,
          [context = param.server_context] { return context->IsCancelled(); }),
      now,
      own < deadline
          ? std::make_unique<CallDeadline>(param.call->call(), now, own - now)
          : nullptr,
      unary_ ? &measured_ : nullptr,
      passage.known.ticket,
      slot};
  if (callback_) {
    EnteredCall::RunCallback(std::make_unique<EnteredCall>(std::move(parts)),
                             param, handler_);
  } else {
    EnteredCall(std::move(parts)).RunSync(param, handler_);
  }
  return true;
}

absl::optional<Observer::RefusalReason> GuardedMethod::ReasonAgainst(
    const HandlerParameter& param, absl::Duration time_left,
    const HeldCall::Verdict& verdict) const {
  const auto no_time = CheckEntry(time_left, options_.minimum_time_left);
  if (no_time.has_value()) return no_time;
  if (verdict.refusal == AdmissionQueue::Refusal::kOutOfTime) {
    return options_.enforce_measured_time ? Observer::RefusalReason::kTooSlow
                                          : Observer::RefusalReason::kDoomed;
  }
  if (verdict.refusal.has_value()) return ReasonFor(*verdict.refusal);
  if (time_left < MeasuredTime()) return Observer::RefusalReason::kTooSlow;
  if (verdict.over_limit) return Observer::RefusalReason::kOverloaded;
  // gRPC tells of a cancellation only now; to ask costs about 30 us.
  if (verdict.waited > absl::ZeroDuration() && !callback_ &&
      param.server_context->IsCancelled()) {
    return Observer::RefusalReason::kCallerGone;
  }
  return absl::nullopt;
}

bool GuardedMethod::Refused(const HandlerParameter& param,
                            absl::Duration time_left,
                            const HeldCall::Verdict& verdict) const {
  const auto reason = ReasonAgainst(param, time_left, verdict);
  if (!reason.has_value()) return false;
  const bool enforced =
      enforces_ && (*reason != Observer::RefusalReason::kTooSlow ||
                    options_.enforce_measured_time);
  if (options_.observer != nullptr) {
    options_.observer->HandlerRefused({name_, *reason, time_left, enforced,
                                       verdict.waited, verdict.pushback});
  }
  if (!enforced) return false;
  const absl::StatusCode code = RefusalCode(*reason);
  if (verdict.refusal.has_value() &&
      code != absl::StatusCode::kDeadlineExceeded) {
    AddPushback(param.server_context, verdict.pushback);
  }
  const grpc::Status status(
      static_cast<grpc::StatusCode>(code),
      RefusalMessage(*reason, time_left, LeastTime(), verdict.waited));
  if (param.status.ok()) {
    refusal_.Answer(param, status);
  } else {
    refusal_.AnswerUnread(param, status);
  }
  return true;
}

}  // namespace forbear
