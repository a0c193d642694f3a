#include "interceptors/client/stream_call.h"

#include <grpc/grpc.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <grpcpp/support/client_interceptor.h>

#include <string>
#include <utility>

#include "interceptors/client/call_interceptor.h"
#include "interceptors/client/call_options.h"
#include "interceptors/client/elsewhere.h"
#include "interceptors/client/grpc_inside.h"
#include "interceptors/client/grpc_time.h"
#include "interceptors/client/not_applied.h"
#include "interceptors/context/clock.h"
#include "interceptors/policy/wire_timeout.h"

namespace forbear {

using grpc::internal::Call;
using grpc::internal::CallOpSetInterface;
using grpc::internal::CompletionQueueTag;
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

// --- Batches coming back ---

bool StreamCall::StatusTag::FinalizeResult(void**, bool*) {
  grpc::CompletionQueue& queue = *call->stub_.queue;
  call->StatusFetched();
  Friend::CompleteReturn(queue);
  return false;
}

bool StreamCall::Returned(StreamSlot* slot, bool ok) {
  Afterwards afterwards;
  bool fetch = false;
  bool pass;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    slot->ok = ok;
    pass = MayPass(slot, &fetch, &afterwards);
    if (pass) slot->active = false;
  }
  if (fetch) FetchStatus();
  afterwards.Run();
  return pass;
}

bool StreamCall::MayPass(StreamSlot* slot, bool* fetch,
                         Afterwards* afterwards) {
  const StreamBatch& batch = slot->batch;
  const bool ok = slot->ok;
  switch (phase_) {
    case Phase::kPassing:
      if (batch.receives_status()) PassingEnded(slot);
      return true;
    case Phase::kOver:
      return true;
    case Phase::kRelayed:
      // What the first attempt did send will be sent again without its writer.
      if (ok && !Receives(batch)) return true;
      slot->held = true;
      ServeOne(slot, afterwards);
      return false;
    case Phase::kFirst:
      break;
  }
  if (batch.receives_status()) {
    debug_string_ = std::string(batch.status_op().debug_string());
    slot->held = true;
    FirstEnded(batch.status_op().status(*context_), afterwards);
    return false;
  }
  if (FirstFailed(*slot, ok)) {
    slot->held = true;
    const StreamSlot& finish = slots_[kFinish];
    if (stub_.waits != StubWaits::kByCallback && !status_asked_ &&
        !(finish.active && finish.given)) {
      status_asked_ = true;
      *fetch = true;
    }
    if (first_status_.has_value()) DecideFirst(afterwards);
    return false;
  }
  if (batch.receives_headers() || batch.receives_message()) {
    call_.AnswerBegun(SteadyNow());
    Commit(afterwards);
    if (first_status_.has_value()) DecideFirst(afterwards);
  }
  return true;
}

bool StreamCall::FirstFailed(const StreamSlot& slot, bool ok) const {
  if (!ok) return true;
  // Where there are headers, the application is about to see them.
  if (slot.batch.receives_headers()) return inside::TrailersOnly(stub_.call);
  return slot.batch.receives_message() && !slot.batch.got_message();
}

void StreamCall::FetchStatus() {
  if (stub_.waits == StubWaits::kByQueue) {
    Friend::RegisterReturn(*stub_.queue);
  }
  grpc_op ops[2] = {};
  size_t count = 0;
  ops[count].op = GRPC_OP_RECV_STATUS_ON_CLIENT;
  auto& status = ops[count++].data.recv_status_on_client;
  status.trailing_metadata = Friend::ReceivedTrailingMetadata(*context_).arr();
  status.status = &status_tag_.code;
  status.status_details = &status_tag_.message;
  status.error_string = &status_tag_.debug_string;
  // The core may hold a status back until somebody asks for headers.
  if (!headers_asked_) {
    ops[count].op = GRPC_OP_RECV_INITIAL_METADATA;
    ops[count++].data.recv_initial_metadata.recv_initial_metadata =
        Friend::ReceivedInitialMetadata(*context_).arr();
  }
  auto* const tag = static_cast<CompletionQueueTag*>(&status_tag_);
  grpc_call_start_batch(stub_.call, ops, count, tag, nullptr);
  if (stub_.waits == StubWaits::kByPlucking) {
    stub_.Pluck(tag);
    StatusFetched();
  }
}

void StreamCall::StatusFetched() {
  const grpc_slice& message = status_tag_.message;
  Afterwards afterwards;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (status_tag_.debug_string != nullptr) {
      debug_string_ = status_tag_.debug_string;
    }
    FirstEnded(grpc::Status(static_cast<grpc::StatusCode>(status_tag_.code),
                            std::string(reinterpret_cast<const char*>(
                                            GRPC_SLICE_START_PTR(message)),
                                        GRPC_SLICE_LENGTH(message)),
                            Friend::ReceivedTrailingMetadata(*context_)
                                .GetBinaryErrorDetails()),
               &afterwards);
  }
  afterwards.Run();
}

void StreamCall::FirstEnded(grpc::Status status, Afterwards* afterwards) {
  first_status_ = Translated(std::move(status));
  if (timer_.has_value()) timer_->Cancel();
  DecideFirst(afterwards);
}

grpc::Status StreamCall::Translated(grpc::Status status) const {
  return timed_out_ && !status.ok() ? AttemptTimedOut() : std::move(status);
}

void StreamCall::DecideFirst(Afterwards* afterwards) {
  // What came before the status may still be on its way to the application.
  for (const StreamSlot& slot : slots_) {
    if (phase_ == Phase::kFirst && slot.active && slot.given && !slot.held &&
        Receives(slot.batch)) {
      return;
    }
  }
  const grpc::Status status = *std::exchange(first_status_, std::nullopt);
  if (phase_ == Phase::kRelayed) return;  // A hedge has answered before.
  const Step step = call_.AttemptEnded(
      SteadyNow(), status, *Friend::ReceivedTrailingMetadata(*context_).map(),
      debug_string_, cancelled_, /*attempt=*/1);
  if (step.finished) {
    ended_ = true;
    status_known_ = true;
    status_ = call_.Finish(step, status);
    if (phase_ == Phase::kFirst) phase_ = Phase::kOver;
    if (retries_.has_value()) retries_->Stop();
  } else {
    phase_ = Phase::kRelayed;
    if (!retries_.has_value()) MakeRetries();
    retries_->Begin(step, status, afterwards);
  }
  // It has ended; but for the core to fail what is still sent on it, and not
  // to keep it for another attempt of its own, it has to be cancelled.
  grpc_call_cancel(stub_.call, nullptr);
  Serve(afterwards);
}

void StreamCall::PassingEnded(StreamSlot* slot) {
  ended_ = true;
  if (slot->batch.status_op().code() == grpc::StatusCode::OK &&
      call_.observer() == nullptr) {
    call_.SucceededAtFirst();
    return;
  }
  // It may have timed out at the moment at which it was committed.
  const grpc::Status status =
      Translated(slot->batch.status_op().status(*context_));
  const Step step =
      first_.finished ? first_
                      : call_.AttemptEnded(
                            SteadyNow(), status,
                            *Friend::ReceivedTrailingMetadata(*context_).map(),
                            slot->batch.status_op().debug_string(), cancelled_,
                            /*attempt=*/1);
  status_ = call_.Finish(step, status);
  AnswerStatus(slot);
}

void StreamCall::Commit(Afterwards* afterwards) {
  phase_ = Phase::kPassing;
  passing_.store(true, std::memory_order_release);
  call_.Commit();
  if (retries_.has_value()) retries_->Stop();
  if (timer_.has_value()) timer_->Cancel();
  sent_.DropBefore(sent_.end());
  for (StreamSlot& slot : slots_) {
    if (slot.active && slot.held && slot.given &&
        !slot.batch.receives_status()) {
      Release(&slot, slot.ok, afterwards);
    }
  }
}

// --- Answers ---

void StreamCall::TakenOver() {
  if (phase_ != Phase::kFirst) return;
  phase_ = Phase::kRelayed;
  call_.AttemptLost(SteadyNow(), grpc::Status::CANCELLED, /*attempt=*/1);
  if (under_way_.abandoned) return;  // So has gRPC, by now.
  if (timer_.has_value()) timer_->Cancel();
  grpc_call_cancel(stub_.call, nullptr);
}

void StreamCall::Serve(Afterwards* afterwards) {
  // A hedge has failed so that the whole call has.
  if (retries_.has_value() && retries_->over()) TakenOver();
  for (StreamSlot& slot : slots_) {
    if (slot.active && slot.held) ServeOne(&slot, afterwards);
  }
}

void StreamCall::ServeOne(StreamSlot* slot, Afterwards* afterwards) {
  if (phase_ == Phase::kRelayed) {
    if (!retries_->over() && !CanAnswer(*slot)) return;
    Release(slot, AnswerRelayed(slot, afterwards), afterwards);
  } else if (slot->batch.receives_status()) {
    if (!status_known_) return;
    AnswerStatus(slot);
    Release(slot, true, afterwards);
  } else if (phase_ == Phase::kOver) {
    if (!slot->given && slot->batch.receives_message()) {
      slot->batch.SetMessage(nullptr);
    }
    Release(slot, slot->ok || !slot->given, afterwards);
  }
}

bool StreamCall::HasSent(const StreamSlot& slot) const {
  if (slot.batch.sends_message() && retries_->sent() < slot.messages_after) {
    return false;
  }
  return !slot.batch.sends_close() || retries_->close_sent();
}

bool StreamCall::CanAnswer(const StreamSlot& slot) const {
  const StreamBatch& batch = slot.batch;
  if (batch.receives_status()) return false;  // Only once it is over.
  if (batch.receives_headers() && !retries_->has_headers()) return false;
  if (batch.receives_message() && !retries_->has_message()) return false;
  return HasSent(slot);
}

bool StreamCall::AnswerRelayed(StreamSlot* slot, Afterwards* afterwards) {
  StreamBatch& batch = slot->batch;
  ShowHeaders();
  bool ok = HasSent(*slot);
  if (batch.receives_message()) {
    // An answer that failed is none.
    const bool failed = batch.receives_status() && !retries_->status().ok();
    grpc::ByteBuffer message;
    const bool has_message = retries_->has_message() && !failed;
    if (has_message) retries_->TakeMessage(&message, afterwards);
    batch.SetMessage(has_message ? &message : nullptr);
  }
  if (batch.receives_status()) AnswerStatus(slot);
  return ok;
}

void StreamCall::ShowHeaders() {
  grpc::ClientContext* const last = retries_->context();
  const bool settled = retries_->has_headers() || retries_->over();
  if (headers_shown_ || !settled || last == nullptr) return;
  headers_shown_ = true;
  *Friend::ReceivedInitialMetadata(*context_).map() =
      last->GetServerInitialMetadata();
}

void StreamCall::AnswerStatus(StreamSlot* slot) {
  inside::Metadata& trailers =
      *Friend::ReceivedTrailingMetadata(*context_).map();
  grpc::Status status = status_;
  const std::string* debug =
      slot->given ? nullptr : &debug_string_;  // The core's own stays.
  if (phase_ == Phase::kRelayed) {
    status = retries_->status();
    if (grpc::ClientContext* const last = retries_->context()) {
      trailers = last->GetServerTrailingMetadata();
      debug_string_ = last->debug_error_string();
    }
    debug = &debug_string_;
  }
  if (!status.ok()) SetNotApplied(call_.not_applied(), &trailers);
  // The stub takes the details from here: an attempt's are not a
  // cancellation's.
  if (status.error_details().empty()) {
    trailers.erase(grpc::internal::kBinaryErrorDetailsKey);
  }
  slot->batch.SetStatus(status, debug, slot->given);
}

void StreamCall::Release(StreamSlot* slot, bool ok, Afterwards* afterwards) {
  slot->held = false;
  slot->ok = ok;
  slot->active = false;
  // What fails to send is left to the first attempt's call, which has ended.
  if (!slot->given) slot->batch.Hide(ok);
  if (stub_.waits == StubWaits::kByPlucking) {
    released_.notify_all();  // Its own thread gives it back.
  } else {
    afterwards->AddLast([slot] { slot->GiveBack(); });
  }
}

}  // namespace forbear
