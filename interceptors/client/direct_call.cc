#include "interceptors/client/direct_call.h"

#include <grpc/grpc.h>

#include <utility>

#include "interceptors/client/call_interceptor.h"
#include "interceptors/client/call_options.h"
#include "interceptors/client/grpc_time.h"
#include "interceptors/client/not_applied.h"
#include "interceptors/context/clock.h"

namespace forbear {
namespace {

using grpc::internal::Call;
using grpc::internal::CallOpSetInterface;
using grpc::internal::CompletionQueueTag;

}  // namespace

Call DirectCall::Create(std::shared_ptr<grpc::ChannelInterface> channel,
                        std::shared_ptr<ClientCore> core, InUse<Method> method,
                        const grpc::internal::RpcMethod& rpc,
                        grpc::ClientContext* context, grpc::CompletionQueue* cq,
                        bool callback) {
  auto* const self = new DirectCall(std::move(channel), std::move(core),
                                    std::move(method), context, callback);
  const absl::Time now = SteadyNow();
  const gpr_timespec deadline = context->raw_deadline();
  self->first_ = self->call_.Start(now, FromGrpc(deadline, now));
  // The first attempt's time is given to the core as the call's deadline. The
  // context is the user's, and shows the user's deadline again afterwards.
  if (self->call_.policy().mode == Mode::kEnforce &&
      self->first_.time != absl::InfiniteDuration()) {
    context->set_deadline(AfterNow(self->first_.time, now));
  }
  CallInterceptor::ForNextCall(self);  // The context owns it from here on.
  const Call made =
      inside::Friend::CreateCall(*self->channel_, rpc, context, cq);
  context->set_deadline(deadline);
  if (self->first_.finished) {
    const grpc::Status unsent = self->call_.UnsentStatus();
    grpc_call_cancel_with_status(
        made.call(), static_cast<grpc_status_code>(unsent.error_code()),
        unsent.error_message().c_str(), nullptr);
  }
  return Call(made.call(), self, cq);
}

DirectCall::DirectCall(std::shared_ptr<grpc::ChannelInterface> channel,
                       std::shared_ptr<ClientCore> core, InUse<Method> method,
                       grpc::ClientContext* context, bool callback)
    : channel_(std::move(channel)),
      context_(context),
      callback_(callback),
      call_(std::move(core), std::move(method), Parent::Of(*context),
            &inside::Friend::SentMetadata(*context),
            CallOptions::CopyOf(context)) {}

DirectCall::~DirectCall() = default;

void DirectCall::Intercept(
    grpc::experimental::InterceptorBatchMethods* methods) {
  // Batches do not come here; a cancellation has nothing to proceed with.
  if (!methods->QueryInterceptionHookPoint(
          grpc::experimental::InterceptionHookPoints::PRE_SEND_CANCEL)) {
    methods->Proceed();
    return;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (async_ != nullptr) async_->Cancel();
  if (blocking_ != nullptr) blocking_->Cancel();
  if (hedges_ != nullptr) hedges_->Cancel();
}

void DirectCall::PerformOpsOnCall(CallOpSetInterface* ops, Call* call) {
  using Kind = inside::Batch::Kind;
  // Without the interceptors' list the batch does not run them.
  Call bare(call->call(), this, call->cq());
  inside::Batch batch(ops);
  const Kind kind = batch.kind();
  if (kind == Kind::kOther) {
    ops->FillOps(&bare);
    return;
  }
  const bool starts = kind != Kind::kFinish && kind != Kind::kQueuedFinish;
  const bool ends = kind != Kind::kStart && kind != Kind::kQueuedStart;
  if (starts && first_.start) call_.AttemptStarted(first_);
  if (ends) end_ = batch;
  if (kind == Kind::kWhole && !callback_) {
    RunBlocking(&bare);
    return;
  }
  // Other stubs' callers may free the request once the call has started.
  const MethodPolicy& policy = call_.policy();
  if (starts && policy.mode == Mode::kEnforce &&
      (policy.max_attempts > 1 || policy.hedging.enabled())) {
    request_ = batch.KeepRequest();
  }
  core_call_ = bare.call();
  switch (kind) {
    case Kind::kStart:
      has_start_ = true;
      incomplete_.store(2, std::memory_order_relaxed);
      if (Hedges()) HedgeBeside([this] { Forward(); });
      RunCallback(&batch, &start_tag_, &bare);
      break;
    case Kind::kWhole:
      incomplete_.store(1, std::memory_order_relaxed);
      if (Hedges()) HedgeBeside([this] { Forward(); });
      RunCallback(&batch, &end_tag_, &bare);
      break;
    case Kind::kFinish:
      RunCallback(&batch, &end_tag_, &bare);
      break;
    case Kind::kQueuedStart:
      headers_shown_ = true;
      ops->FillOps(&bare);
      break;
    default:
      RunQueued(&bare);
      break;
  }
}

void DirectCall::RunBlocking(Call* bare) {
  CallOpSetInterface* const ops = end_.ops();
  const bool hedges = call_.policy().hedging.enabled();
  if (hedges) end_.status_op().ForgetCode();
  ops->FillOps(bare);
  const grpc_event event = grpc_completion_queue_pluck(
      bare->cq()->cq(), ops, ToGrpc(first_.wake_at), nullptr);
  if (event.type == GRPC_QUEUE_TIMEOUT) {
    Step hedge;
    hedge.wake_at = first_.wake_at;
    RunHedges(*bare, hedge, grpc::Status(), /*first_under_way=*/true);
  } else if (end_.status_op().code() == grpc::StatusCode::OK &&
             call_.observer() == nullptr) {
    call_.SucceededAtFirst();
  } else {
    grpc::Status status;
    const Step step = FirstEnded(&status);
    if (step.finished) {
      Deliver({call_.Finish(step, status), nullptr});
    } else if (hedges) {
      RunHedges(*bare, step, status, /*first_under_way=*/false);
    } else {
      auto retries = std::make_unique<BlockingRetries>(
          MakeRetryable(status, end_.SerializeAgain()));
      Deliver(Share(std::move(retries), &blocking_)->Run(step));
    }
  }
  // The completion that the stub waits for was taken above: an empty batch
  // makes another.
  grpc_call_start_batch(bare->call(), nullptr, 0, ops, nullptr);
}

void DirectCall::RunHedges(const Call& bare, const Step& step,
                           const grpc::Status& status, bool first_under_way) {
  auto hedges = std::make_unique<BlockingHedges>(
      MakeRetryable(status, end_.SerializeAgain()),
      BlockingHedges::First{end_, context_, bare, first_under_way});
  Deliver(Share(std::move(hedges), &hedges_)->Run(step));
}

// From here on a cancellation reaches it.
template <typename Blocking>
Blocking* DirectCall::Share(std::unique_ptr<Blocking> running,
                            std::unique_ptr<Blocking>* shared) {
  std::lock_guard<std::mutex> lock(mutex_);
  *shared = std::move(running);
  if (cancelled_) (*shared)->Cancel();
  return shared->get();
}

void DirectCall::RunCallback(inside::Batch* batch, Tag* tag, Call* bare) {
  tag->owner = this;
  tag->stub =
      static_cast<grpc_completion_queue_functor*>(batch->ops()->core_cq_tag());
  tag->functor_run = &DirectCall::Completed;
  tag->inlineable = tag->stub->inlineable;
  batch->SetCoreTag(tag);
  batch->ops()->FillOps(bare);
}

void DirectCall::Completed(grpc_completion_queue_functor* functor, int ok) {
  Tag* const tag = static_cast<Tag*>(functor);
  tag->ok = ok != 0;
  DirectCall* const self = tag->owner;
  if (self->incomplete_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    self->AllCompleted();
  }
}

void DirectCall::AllCompleted() {
  if (Settled([this] { Forward(); })) Forward();
}

void DirectCall::RunQueued(Call* bare) {
  queue_ = bare->cq();
  if (Hedges() && !headers_shown_) HedgeBeside([this] { ReturnToQueue(); });
  inside::Friend::RegisterReturn(*queue_);
  end_.SetCoreTag(static_cast<CompletionQueueTag*>(&queue_tag_));
  end_.ops()->FillOps(bare);
}

bool DirectCall::QueueTag::FinalizeResult(void** tag, bool* ok) {
  DirectCall& call = *owner_;
  if (!came_back_) {
    came_back_ = true;
    // The map of them is the application's by now, which may be reading it.
    if (call.headers_shown_ &&
        inside::Friend::ReceivedInitialMetadata(*call.context_).arr()->count !=
            0) {
      call.call_.Commit();  // The application has seen part of the answer.
    }
    if (!call.Settled([&call] { call.ReturnToQueue(); })) return false;
  }
  inside::Friend::CompleteReturn(*call.queue_);
  return call.end_.ops()->FinalizeResult(tag, ok);
}

void DirectCall::ReturnToQueue() {
  grpc_call_start_batch(core_call_, nullptr, 0,
                        static_cast<CompletionQueueTag*>(&queue_tag_), nullptr);
}

// A hedge is planned.
bool DirectCall::Hedges() const {
  return first_.start && first_.wake_at != absl::InfiniteFuture();
}

void DirectCall::HedgeBeside(std::function<void()> then) {
  AsyncRetries::Self retries = ShareRetries(grpc::Status(), std::move(then));
  hedged_ = true;
  AsyncRetries::CarryBeside(
      std::move(retries), first_,
      [core_call = core_call_] { grpc_call_cancel(core_call, nullptr); });
}

AsyncRetries::Self DirectCall::ShareRetries(const grpc::Status& status,
                                            std::function<void()> then) {
  AsyncRetries::Self retries =
      AsyncRetries::Make(MakeRetryable(status, std::move(request_)),
                         [this, then = std::move(then)](const Retried& last) {
                           Deliver(last);
                           then();
                         });
  std::lock_guard<std::mutex> lock(mutex_);
  async_ = retries;
  if (cancelled_) retries->Cancel();
  return retries;
}

bool DirectCall::Settled(std::function<void()> then) {
  if (hedged_) {
    AsyncRetries::Self retries;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      retries = async_;
    }
    AsyncRetries::FirstEnded(
        std::move(retries), end_.status_op().status(*context_),
        *inside::Friend::ReceivedTrailingMetadata(*context_).map(),
        end_.status_op().debug_string());
    return false;
  }
  if (end_.status_op().code() == grpc::StatusCode::OK &&
      call_.observer() == nullptr) {
    call_.SucceededAtFirst();
    return true;
  }
  grpc::Status status;
  const Step step = FirstEnded(&status);
  if (step.finished) {
    Deliver({call_.Finish(step, status), nullptr});
    return true;
  }
  AsyncRetries::Carry(ShareRetries(status, std::move(then)), step);
  return false;
}

void DirectCall::Forward() {
  // Either may end the call: nothing of this object is touched after the last.
  grpc_completion_queue_functor* const end = end_tag_.stub;
  const bool end_ok = end_tag_.ok;
  if (has_start_) start_tag_.stub->functor_run(start_tag_.stub, start_tag_.ok);
  end->functor_run(end, end_ok);
}

Step DirectCall::FirstEnded(grpc::Status* status) {
  bool cancelled;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    cancelled = cancelled_;
  }
  *status = end_.status_op().status(*context_);
  if (first_.finished) return first_;
  return call_.AttemptEnded(
      SteadyNow(), *status,
      *inside::Friend::ReceivedTrailingMetadata(*context_).map(),
      end_.status_op().debug_string(), cancelled);
}

Retryable DirectCall::MakeRetryable(const grpc::Status& status,
                                    grpc::ByteBuffer request) {
  Retryable what;
  what.call = &call_;
  what.channel = channel_;
  what.context =
      CallTemplate::Of(*context_, inside::Friend::SentMetadata(*context_));
  what.request.Swap(&request);
  what.status = status;
  return what;
}

void DirectCall::Deliver(const Retried& retried) {
  if (retried.attempt == nullptr && retried.status.ok()) return;
  inside::Metadata& trailers =
      *inside::Friend::ReceivedTrailingMetadata(*context_).map();
  std::string debug;
  if (retried.attempt != nullptr) {
    const Attempt& last = *retried.attempt;
    if (!headers_shown_) {
      *inside::Friend::ReceivedInitialMetadata(*context_).map() =
          last.headers();
    }
    trailers = last.trailers();
    end_.SetResponse(last.response);
    debug = last.debug_string();
  }
  if (!retried.status.ok()) SetNotApplied(call_.not_applied(), &trailers);
  // The stub takes the details from here: an attempt's are not a
  // cancellation's.
  if (retried.status.error_details().empty()) {
    trailers.erase(grpc::internal::kBinaryErrorDetailsKey);
  }
  end_.status_op().Replace(retried.status,
                           retried.attempt == nullptr ? nullptr : &debug);
}

}  // namespace forbear
