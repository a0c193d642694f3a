#include "interceptors/client/retries.h"

#include <grpcpp/alarm.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <utility>

#include "interceptors/client/grpc_time.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"

namespace forbear {

grpc::Status StatusFor(const Step& step, const grpc::Status& last,
                       const LogicalCall& call) {
  if (step.verdict == Verdict::kCancelled) {
    return grpc::Status(grpc::StatusCode::CANCELLED, "Cancelled");
  }
  return call.attempts() == 0 ? call.UnsentStatus() : last;
}

// Whoever takes the owner first decides: the alarm, which then goes on with it,
// or those who want it no more, and need not wait until it has come back.
struct AsyncRetries::Timer {
  const InFlight counted{InFlight::kAlarm};
  const absl::Time at;
  std::mutex mutex;
  Self owner;
  grpc::Alarm alarm;

  Timer(absl::Time at, Self owner) : at(at), owner(std::move(owner)) {}

  Self Take() {
    std::lock_guard<std::mutex> lock(mutex);
    return std::move(owner);
  }
};

AsyncRetries::Self AsyncRetries::Make(Retryable what, Done done) {
  return Self(new AsyncRetries(std::move(what), std::move(done)));
}

AsyncRetries::AsyncRetries(Retryable what, Done done)
    : what_(std::move(what)), done_(std::move(done)) {}

AsyncRetries::~AsyncRetries() = default;

void AsyncRetries::Carry(Self self, const Step& step) {
  Turn turn(self->turn_);
  const Fresh fresh = self->Follow(self, step);
  Leave(std::move(self), std::move(turn), fresh);
}

void AsyncRetries::CarryBeside(Self self, const Step& first,
                               std::function<void()> cancel) {
  Turn turn(self->turn_);
  self->cancel_first_ = std::move(cancel);
  ++self->pending_;
  Step step = first;
  step.start = false;
  const Fresh fresh = self->Follow(self, step);
  Leave(std::move(self), std::move(turn), fresh);
}

void AsyncRetries::FirstEnded(Self self, const grpc::Status& status,
                              const Metadata& trailers,
                              absl::string_view debug_string) {
  Turn turn(self->turn_);
  AsyncRetries& retries = *self;
  --retries.pending_;
  retries.cancel_first_ = nullptr;
  LogicalCall& call = *retries.what_.call;
  Fresh fresh;
  if (retries.finished_) {
    call.AttemptLost(SteadyNow(), status, /*attempt=*/1);
  } else {
    retries.shown_ = nullptr;
    retries.what_.status = status;
    fresh = retries.Follow(
        self, call.AttemptEnded(SteadyNow(), status, trailers, debug_string,
                                retries.cancelled(), /*attempt=*/1));
  }
  Leave(std::move(self), std::move(turn), fresh);
}

void AsyncRetries::AttemptEnded(Self self, Attempt& attempt,
                                const grpc::Status& status) {
  Turn turn(self->turn_);
  AsyncRetries& retries = *self;
  --retries.pending_;
  {
    std::lock_guard<std::mutex> lock(retries.mutex_);
    attempt.under_way = false;
  }
  LogicalCall& call = *retries.what_.call;
  Fresh fresh;
  if (retries.finished_) {
    call.AttemptLost(SteadyNow(), status, attempt.number);
  } else {
    retries.shown_ = &attempt;
    retries.what_.status = status;
    fresh = retries.Follow(
        self, call.AttemptEnded(SteadyNow(), status, attempt.trailers(),
                                attempt.debug_string(), retries.cancelled(),
                                attempt.number));
  }
  Leave(std::move(self), std::move(turn), fresh);
}

void AsyncRetries::TimerFired(Self self, const Timer* timer) {
  Turn turn(self->turn_);
  AsyncRetries& retries = *self;
  --retries.pending_;
  bool waits = false;
  {
    std::lock_guard<std::mutex> lock(retries.mutex_);
    if (retries.timer_.get() == timer) {
      retries.timer_.reset();
      waits = !retries.finished_;
    }
    if (waits && retries.watch_ != nullptr) {
      retries.watch_->Stop();
      retries.wait_over_ = true;
      waits = false;
    }
  }
  Fresh fresh;
  if (waits) fresh = retries.Follow(self, retries.WaitOver());
  Leave(std::move(self), std::move(turn), fresh);
}

void AsyncRetries::WatchEnded(Self self, std::unique_ptr<ParentWatch> watch) {
  Turn turn(self->turn_);
  AsyncRetries& retries = *self;
  --retries.pending_;
  {
    std::lock_guard<std::mutex> lock(retries.mutex_);
    retries.watch_ = nullptr;  // Until here it may have been stopped.
    watch.reset();
    // Else the parent is gone: so is who asked for this call.
    if (!retries.wait_over_) retries.cancelled_ = true;
  }
  retries.wait_over_ = false;
  retries.StopTimer();
  const Fresh fresh = retries.Follow(self, retries.WaitOver());
  Leave(std::move(self), std::move(turn), fresh);
}

void AsyncRetries::Leave(Self self, Turn turn, const Fresh& fresh) {
  AsyncRetries* const retries = self.get();
  if (retries->finished_ && retries->pending_ == 0) {
    turn.unlock();
    Finish(std::move(self));
    return;
  }
  // Whatever is pending may end the call, and all that belongs to it be gone,
  // from here on, and before the function that starts an attempt returns:
  // nothing on this stack may hold a part of it. (A GenericStub would hold the
  // channel, and gRPC copies the callback.)
  self.reset();
  turn.unlock();
  for (Attempt* const attempt : fresh) retries->Launch(*attempt);
}

AsyncRetries::Fresh AsyncRetries::Follow(const Self& self, Step step) {
  LogicalCall& call = *what_.call;
  Fresh fresh;
  while (!step.finished) {
    if (step.start) fresh.push_back(Add(step));
    // A hedge that is due at once needs no timer.
    const bool due = call.under_way() > 0 && step.wake_at <= SteadyNow();
    if (!due || cancelled()) break;
    step = call.TimerFired(SteadyNow());
  }
  if (step.finished) {
    End(step);
  } else {
    SetTimer(self, step.wake_at);
  }
  return fresh;
}

Attempt* AsyncRetries::Add(const Step& step) {
  auto attempt = std::make_unique<Attempt>(what_.context, what_.call->parent(),
                                           step, SteadyNow());
  what_.call->AttemptStarted(step);
  ++pending_;
  shown_ = nullptr;
  decltype(attempts_) ended;  // Destroyed without the mutex.
  std::lock_guard<std::mutex> lock(mutex_);
  // gRPC takes a cancellation before, during and after the start of a call.
  if (cancelled_) attempt->context->TryCancel();
  const auto first_ended = std::stable_partition(
      attempts_.begin(), attempts_.end(),
      [](const std::unique_ptr<Attempt>& each) { return each->under_way; });
  std::move(first_ended, attempts_.end(), std::back_inserter(ended));
  attempts_.erase(first_ended, attempts_.end());
  attempts_.push_back(std::move(attempt));
  return attempts_.back().get();
}

void AsyncRetries::End(const Step& step) {
  finished_ = true;
  last_ = step;
  StopTimer();
  if (cancel_first_ != nullptr) cancel_first_();
  std::lock_guard<std::mutex> lock(mutex_);
  for (const std::unique_ptr<Attempt>& attempt : attempts_) {
    if (attempt->under_way) attempt->context->TryCancel();
  }
}

void AsyncRetries::SetTimer(const Self& self, absl::Time wake_at) {
  const LogicalCall& call = *what_.call;
  const bool waits = call.under_way() == 0;
  if (!waits && timer_ != nullptr && timer_->at == wake_at) return;
  StopTimer();
  if (wake_at == absl::InfiniteFuture()) return;
  if (waits) {
    for (const std::unique_ptr<Attempt>& ended : attempts_) ended->Compact();
  }
  auto timer = std::make_shared<Timer>(wake_at, self);
  ++pending_;
  std::lock_guard<std::mutex> lock(mutex_);
  timer_ = timer;
  // An attempt that is under way ends with its parent; a wait has to be told.
  // (A copy of `self` as it is would be const, and could not be handed on.)
  if (waits && call.parent()) {
    ++pending_;
    watch_ = ParentWatch::Start(
        what_.channel, call.method().name, call.parent(),
        [self = Self(self)](std::unique_ptr<ParentWatch> watch) mutable {
          WatchEnded(std::move(self), std::move(watch));
        });
  }
  // An alarm keeps its function until it is destroyed: what holds the alarm
  // must not be held by it any longer than it takes to fire.
  grpc::Alarm& alarm = timer->alarm;
  alarm.Set(ToGrpc(cancelled_ ? SteadyNow() : wake_at),
            [timer = std::move(timer)](bool) mutable {
              const std::shared_ptr<Timer> fired = std::move(timer);
              Self owner = fired->Take();
              if (owner != nullptr) TimerFired(std::move(owner), fired.get());
            });
}

void AsyncRetries::StopTimer() {
  std::shared_ptr<Timer> timer;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    timer.swap(timer_);
  }
  if (timer == nullptr) return;
  if (timer->Take() != nullptr) --pending_;
  timer->alarm.Cancel();
}

// Of a cancelled call that has attempts under way, these tell.
Step AsyncRetries::WaitOver() {
  LogicalCall& call = *what_.call;
  if (!cancelled()) return call.TimerFired(SteadyNow());
  return call.under_way() == 0 ? call.Cancelled() : Step();
}

bool AsyncRetries::cancelled() {
  std::lock_guard<std::mutex> lock(mutex_);
  return cancelled_;
}

void AsyncRetries::Launch(Attempt& attempt) {
  const grpc::internal::RpcMethod method(what_.call->method().name.c_str(),
                                         grpc::internal::RpcMethod::NORMAL_RPC);
  grpc::internal::CallbackUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
      what_.channel.get(), method, attempt.context.get(), &what_.request,
      &attempt.response, [this, &attempt](const grpc::Status& status) {
        AttemptEnded(shared_from_this(), attempt, status);
      });
}

void AsyncRetries::Finish(Self self) {
  Retryable& what = self->what_;
  const Retried retried = {
      what.call->Finish(self->last_,
                        StatusFor(self->last_, what.status, *what.call)),
      self->shown_};
  const Done done = std::move(self->done_);
  self.reset();
  done(retried);
}

void AsyncRetries::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  for (const std::unique_ptr<Attempt>& attempt : attempts_) {
    if (attempt->under_way) attempt->context->TryCancel();
  }
  if (timer_ != nullptr) timer_->alarm.Cancel();
}

}  // namespace forbear
