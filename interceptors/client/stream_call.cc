#include "interceptors/client/stream_call.h"

#include <grpc/grpc.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <grpcpp/support/client_interceptor.h>

#include <utility>

#include "interceptors/client/call_interceptor.h"
#include "interceptors/client/call_options.h"
#include "interceptors/client/elsewhere.h"
#include "interceptors/client/grpc_inside.h"
#include "interceptors/client/grpc_time.h"
#include "interceptors/context/clock.h"
#include "interceptors/policy/wire_timeout.h"

namespace forbear {

using grpc::internal::Call;
using grpc::internal::CallOpSetInterface;
using grpc::internal::RpcMethod;
using inside::Friend;
using inside::StreamBatch;

// The call's interceptor: it hears TryCancel() and the context's end.
class StreamCall::Handle final : public grpc::experimental::Interceptor {
 public:
  explicit Handle(StreamCall* call) : call_(call) {}
  ~Handle() override { call_->Abandon(); }

  void Intercept(
      grpc::experimental::InterceptorBatchMethods* methods) override {
    // Batches do not come here; a cancellation has nothing to proceed with.
    if (methods->QueryInterceptionHookPoint(
            grpc::experimental::InterceptionHookPoints::PRE_SEND_CANCEL)) {
      call_->Cancel();
    } else {
      methods->Proceed();
    }
  }

 private:
  StreamCall* const call_;
};

Call StreamCall::Create(std::shared_ptr<grpc::ChannelInterface> channel,
                        std::shared_ptr<ClientCore> core, InUse<Method> method,
                        const RpcMethod& rpc, grpc::ClientContext* context,
                        grpc::CompletionQueue* cq, bool callback) {
  auto* const self = new StreamCall(std::move(channel), std::move(core),
                                    std::move(method), rpc, context, callback);
  const MethodPolicy& policy = self->call_.policy();
  const bool enforced = policy.mode == Mode::kEnforce;
  const absl::Time now = SteadyNow();
  const gpr_timespec deadline = context->raw_deadline();
  const bool reads = rpc.method_type() == RpcMethod::SERVER_STREAMING;
  if (!reads) self->call_.DoNotHedge();
  self->first_ = self->call_.Start(now, FromGrpc(deadline, now));
  // The core enforces the whole call's time. The attempt's own ends when the
  // stream is committed, which the core cannot know.
  const absl::Duration left = RoundDownToWire(self->call_.deadline() - now);
  if (enforced && left != absl::InfiniteDuration()) {
    context->set_deadline(AfterNow(left, now));
  }
  CallInterceptor::ForNextCall(new Handle(self));  // Owned by the context.
  const Call made = Friend::CreateCall(*self->channel_, rpc, context, cq);
  context->set_deadline(deadline);
  self->stub_.call = made.call();
  self->stub_.queue = cq;
  const bool timed = enforced && self->first_.time < left;
  if (self->first_.finished) {
    const grpc::Status unsent = self->call_.UnsentStatus();
    grpc_call_cancel_with_status(
        made.call(), static_cast<grpc_status_code>(unsent.error_code()),
        unsent.error_message().c_str(), nullptr);
  } else {
    self->call_.AttemptStarted(self->first_);
  }
  const bool hedged = self->first_.wake_at != absl::InfiniteFuture();
  if (self->first_.finished || !enforced ||
      (policy.max_attempts == 1 && !timed && !hedged)) {
    self->phase_ = Phase::kPassing;
    self->passing_.store(true, std::memory_order_release);
    self->call_.Commit();
    return Call(made.call(), self, cq);
  }
  if (timed) self->StartTimer(now + self->first_.time);
  if (hedged) self->HedgeAt(self->first_.wake_at);
  return Call(made.call(), self, cq);
}

StreamCall::StreamCall(std::shared_ptr<grpc::ChannelInterface> channel,
                       std::shared_ptr<ClientCore> core, InUse<Method> method,
                       const RpcMethod& rpc, grpc::ClientContext* context,
                       bool callback)
    : channel_(std::move(channel)),
      context_(context),
      one_answer_(rpc.method_type() == RpcMethod::CLIENT_STREAMING),
      call_(std::move(core), std::move(method), Parent::Of(*context),
            &Friend::SentMetadata(*context), CallOptions::CopyOf(context)),
      sent_(call_.policy().replay_buffer) {
  if (callback) stub_.waits = StubWaits::kByCallback;
  stub_.hook = this;
  for (StreamSlot& slot : slots_) slot.Bind(this, &stub_);
}

StreamCall::~StreamCall() {
  if (!ended_ && phase_ != Phase::kRelayed && !first_.finished &&
      call_.observer() != nullptr) {
    const grpc::Status abandoned(grpc::StatusCode::CANCELLED, "Abandoned");
    call_.Finish(call_.AttemptEnded(SteadyNow(), abandoned, {}, "",
                                    /*cancelled=*/true, /*attempt=*/1),
                 abandoned);
  }
  grpc_slice_unref(status_tag_.message);
  gpr_free(const_cast<char*>(status_tag_.debug_string));
}

void StreamCall::StartTimer(absl::Time when) {
  ++under_way_.count;
  timer_running_.emplace(InFlight::kAlarm);
  timer_.emplace();
  timer_->Set(ToGrpc(when), [this](bool ran_out) { TimerFired(ran_out); });
}

void StreamCall::MakeRetries() {
  retries_.emplace(
      static_cast<StreamRetries::Relay*>(this), &mutex_, &under_way_,
      StreamRetries::Source{
          &call_, channel_,
          CallTemplate::Of(*context_, Friend::SentMetadata(*context_)), &sent_,
          one_answer_});
}

void StreamCall::HedgeAt(absl::Time when) {
  Afterwards afterwards;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    MakeRetries();
    retries_->HedgeAt(when, &afterwards);
  }
  afterwards.Run();
}

void StreamCall::TimerFired(bool ran_out) {
  std::unique_lock<std::mutex> lock(mutex_);
  --under_way_.count;
  timer_running_.reset();
  if (ran_out && phase_ == Phase::kFirst && !under_way_.abandoned) {
    timed_out_ = true;
    grpc_call_cancel(stub_.call, nullptr);
  }
  const bool idle = under_way_.Idle();
  lock.unlock();
  if (idle) Idle();
}

void StreamCall::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (retries_.has_value()) retries_->Cancel();
}

void StreamCall::Abandon() {
  std::unique_lock<std::mutex> lock(mutex_);
  under_way_.abandoned = true;
  if (timer_.has_value()) timer_->Cancel();
  if (retries_.has_value()) retries_->Cancel();
  const bool idle = under_way_.Idle();
  lock.unlock();
  if (idle) delete this;
}

void StreamCall::Idle() {
  RunElsewhere([this] { delete this; });
}

// --- Batches going out ---

bool StreamCall::Sends(const StreamBatch& batch) {
  return batch.sends_headers() || batch.sends_message() || batch.sends_close();
}

bool StreamCall::Receives(const StreamBatch& batch) {
  return batch.receives_headers() || batch.receives_message() ||
         batch.receives_status();
}

StreamCall::Kind StreamCall::KindOf(const StreamBatch& batch) {
  if (batch.receives_status()) return kFinish;
  if (batch.receives_message()) return kRead;
  if (batch.sends_headers()) return kStart;
  if (batch.sends_message()) return kWrite;
  if (batch.sends_close()) return kClose;
  return kHeaders;
}

void StreamCall::PerformOpsOnCall(CallOpSetInterface* ops, Call* call) {
  // Without the interceptors' list a batch does not run them.
  Call bare(call->call(), this, call->cq());
  if (passing_.load(std::memory_order_acquire) &&
      !StreamBatch::HasStatus(ops)) {
    ops->FillOps(&bare);
    return;
  }
  const StreamBatch batch(ops);
  StreamSlot* const slot = batch.known() ? &slots_[KindOf(batch)] : nullptr;
  Afterwards afterwards;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (slot == nullptr) {
      // Nobody could answer it in the first attempt's place.
      if (phase_ == Phase::kFirst) Commit(&afterwards);
    } else {
      slot->batch = batch;
      Admit(slot, &afterwards);
    }
  }
  if (slot == nullptr) {
    afterwards.Run();
    ops->FillOps(&bare);
  } else if (stub_.waits == StubWaits::kByPlucking) {
    afterwards.Run();
    RunPlucked(slot);
  } else {
    if (slot->given) ops->FillOps(&bare);
    afterwards.Run();
  }
}

void StreamCall::Admit(StreamSlot* slot, Afterwards* afterwards) {
  const StreamBatch& batch = slot->batch;
  if (stub_.waits == StubWaits::kUnknown) {
    stub_.waits = batch.HasApplicationsTag() ? StubWaits::kByQueue
                                             : StubWaits::kByPlucking;
  }
  slot->active = true;
  slot->held = false;
  Keep(slot, afterwards);
  switch (phase_) {
    case Phase::kFirst:
    case Phase::kPassing:
      slot->given = !(batch.receives_status() && status_asked_);
      break;
    case Phase::kRelayed:
      slot->given = false;
      break;
    case Phase::kOver:
      // The first attempt's call, which has ended, fails what sends.
      slot->given = Sends(batch);
      slot->batch.Hide(false);
      break;
  }
  if (slot->given) {
    headers_asked_ = headers_asked_ || batch.receives_headers();
    slot->Interpose();
  } else {
    slot->held = true;
    ServeOne(slot, afterwards);
  }
}

void StreamCall::Keep(StreamSlot* slot, Afterwards* afterwards) {
  if (phase_ != Phase::kFirst && phase_ != Phase::kRelayed) return;
  bool fits = true;
  if (slot->batch.sends_message()) {
    grpc::WriteOptions options;
    const grpc::ByteBuffer message = slot->batch.KeepMessage(&options);
    fits = sent_.Add(message, options);
  }
  if (slot->batch.sends_close()) sent_.Close();
  slot->messages_after = sent_.end();
  if (phase_ == Phase::kFirst && !fits) {
    Commit(afterwards);
    return;
  }
  if (!retries_.has_value()) return;
  if (phase_ == Phase::kRelayed && slot->batch.receives_headers() &&
      !slot->batch.receives_status()) {
    retries_->ShowHeaders();
  }
  retries_->Appended(fits, afterwards);
}

void StreamCall::RunPlucked(StreamSlot* slot) {
  if (slot->given) {
    slot->Fill();
    Returned(slot, stub_.Pluck(slot->batch.ops()));
  }
  {
    std::unique_lock<std::mutex> lock(mutex_);
    released_.wait(lock, [slot] { return !slot->held; });
  }
  // The completion that the stub waits for was taken above.
  slot->GiveBack();
}

}  // namespace forbear
