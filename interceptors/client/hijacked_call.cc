#include "interceptors/client/hijacked_call.h"

#include <google/protobuf/message_lite.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <utility>

#include "interceptors/client/grpc_time.h"
#include "interceptors/client/not_applied.h"
#include "interceptors/context/clock.h"

namespace forbear {

using grpc::experimental::InterceptionHookPoints;

HijackedCall::HijackedCall(std::shared_ptr<ClientCore> core,
                           InUse<Method> method, grpc::ClientContext* context,
                           bool generic)
    : core_(std::move(core)),
      method_(std::move(method)),
      context_(context),
      generic_(generic),
      parent_(Parent::Of(*context)),
      options_(CallOptions::CopyOf(context)) {}

void HijackedCall::Intercept(Methods* methods) {
  if (methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_SEND_CANCEL)) {
    Cancel();
    return;
  }
  if (!call_.has_value()) {
    Start(methods);
    // Comes back at once, with what the batch wants to receive.
    methods->Hijack();
    return;
  }
  const bool receives =
      methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_RECV_INITIAL_METADATA) ||
      methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_RECV_MESSAGE) ||
      methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_RECV_STATUS);
  if (receives) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!settled_) {
      held_.push_back(methods);
      return;
    }
  }
  if (receives) Answer(methods);
  methods->Proceed();
}

void HijackedCall::Start(Methods* first) {
  call_.emplace(core_, method_, parent_, first->GetSendInitialMetadata(),
                std::move(options_));
  Retryable what;
  what.call = &*call_;
  what.channel = first->GetInterceptedChannel();
  what.context = CallTemplate::Of(*context_, *first->GetSendInitialMetadata());
  const MethodPolicy& policy = *method_->policy;
  if (policy.wait_for_ready.has_value() && policy.mode == Mode::kEnforce &&
      !what.context.wait_for_ready_set) {
    what.context.wait_for_ready_set = true;
    what.context.wait_for_ready = *policy.wait_for_ready;
  }
  what.request = *first->GetSerializedSendMessage();
  AsyncRetries::Self retries = AsyncRetries::Make(
      std::move(what), [this](const Retried& retried) { Settle(retried); });
  {
    std::lock_guard<std::mutex> lock(mutex_);
    retries_ = retries;
    if (cancelled_) retries->Cancel();
  }
  const absl::Time now = SteadyNow();
  AsyncRetries::Carry(
      std::move(retries),
      call_->Start(now, FromGrpc(context_->raw_deadline(), now)));
}

void HijackedCall::Settle(const Retried& retried) {
  result_ = retried;
  std::vector<Methods*> held;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    settled_ = true;
    held.swap(held_);
  }
  // The last to proceed may end the call, and this object with it.
  for (Methods* methods : held) {
    Answer(methods);
    methods->Proceed();
  }
}

void HijackedCall::Answer(Methods* methods) {
  Attempt* const attempt = result_.attempt;
  if (attempt != nullptr &&
      methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_RECV_INITIAL_METADATA)) {
    *methods->GetRecvInitialMetadata() = attempt->headers();
  }
  if (methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_RECV_MESSAGE)) {
    AnswerMessage(methods);
  }
  if (methods->QueryInterceptionHookPoint(
          InterceptionHookPoints::PRE_RECV_STATUS)) {
    *methods->GetRecvStatus() = result_.status;
    auto& trailers = *methods->GetRecvTrailingMetadata();
    if (attempt != nullptr) {
      trailers = attempt->trailers();
    }
    if (!result_.status.ok()) {
      SetNotApplied(call_->not_applied(), &trailers);
    }
  }
}

void HijackedCall::AnswerMessage(Methods* methods) {
  if (!result_.status.ok() || !result_.attempt->response.Valid()) {
    methods->FailHijackedRecvMessage();
    return;
  }
  grpc::ByteBuffer* const response = &result_.attempt->response;
  void* const message = methods->GetRecvMessage();
  if (generic_) {
    *static_cast<grpc::ByteBuffer*>(message) = *response;
    return;
  }
  using Proto = google::protobuf::MessageLite;
  const grpc::Status parsed = grpc::SerializationTraits<Proto>::Deserialize(
      response, static_cast<Proto*>(message));
  if (!parsed.ok()) result_.status = parsed;
}

void HijackedCall::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (retries_ != nullptr) retries_->Cancel();
}

}  // namespace forbear
