#include "interceptors/client/retries.h"

#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/client_callback.h>

#include <chrono>
#include <utility>

#include "interceptors/client/grpc_time.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"

namespace forbear {
namespace {

const grpc::Status& CancelledStatus() {
  static const grpc::Status* const status =
      new grpc::Status(grpc::StatusCode::CANCELLED, "Cancelled");
  return *status;
}

// The status of a call that ended with `step`. A call that was never sent has
// no status of its own; every other keeps that of its last attempt, unless its
// caller cancelled it.
grpc::Status StatusFor(const Step& step, const grpc::Status& last,
                       const LogicalCall& call) {
  if (step.verdict == Verdict::kCancelled) return CancelledStatus();
  return call.attempts() == 0 ? call.UnsentStatus() : last;
}

}  // namespace

// A wait ends when all its parts have: the alarm, and where there is a parent
// the watch of it. Either makes the other end.
struct AsyncRetries::Wait {
  const InFlight counted{InFlight::kAlarm};
  grpc::Alarm alarm;
  ParentWatch* parent = nullptr;  // Until it has ended.
  bool fired = false;
  int parts = 1;
};

AsyncRetries::Self AsyncRetries::Make(Retryable what, Done done) {
  return Self(new AsyncRetries(std::move(what), std::move(done)));
}

AsyncRetries::AsyncRetries(Retryable what, Done done)
    : what_(std::move(what)), done_(std::move(done)) {}

AsyncRetries::~AsyncRetries() = default;

void AsyncRetries::Carry(Self self, Step step) {
  if (step.finished) {
    Finish(std::move(self), step);
  } else if (step.start) {
    StartAttempt(std::move(self), step);
  } else {
    StartWait(std::move(self), step);
  }
}

void AsyncRetries::StartAttempt(Self self, const Step& step) {
  LogicalCall& call = *self->what_.call;
  auto fresh = std::make_unique<Attempt>(self->what_.context, call.parent(),
                                         step, SteadyNow());
  Attempt& attempt = *fresh;
  call.AttemptStarted(step);
  {
    std::lock_guard<std::mutex> lock(self->mutex_);
    // gRPC takes a cancellation before, during and after the start of a call.
    if (self->cancelled_) attempt.context.TryCancel();
    self->attempt_.swap(fresh);
    self->attempting_ = true;
  }
  fresh.reset();
  // The call may end, and all that belongs to it be gone, before the function
  // that starts it returns here: nothing on this stack may hold a part of it.
  // (A GenericStub would hold the channel, and gRPC copies the callback.)
  AsyncRetries* const retries = self.get();
  self.reset();
  const grpc::internal::RpcMethod method(call.method().name.c_str(),
                                         grpc::internal::RpcMethod::NORMAL_RPC);
  grpc::internal::CallbackUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
      retries->what_.channel.get(), method, &attempt.context,
      &retries->what_.request, &attempt.response,
      [retries](const grpc::Status& status) {
        AttemptEnded(retries->shared_from_this(), status);
      });
}

void AsyncRetries::AttemptEnded(Self self, const grpc::Status& status) {
  bool cancelled;
  {
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->attempting_ = false;
    cancelled = self->cancelled_;
  }
  self->what_.status = status;
  const Step step = self->what_.call->AttemptEnded(
      SteadyNow(), status, self->attempt_->context.GetServerTrailingMetadata(),
      self->attempt_->context.debug_error_string(), cancelled);
  Carry(std::move(self), step);
}

void AsyncRetries::StartWait(Self self, const Step& step) {
  const LogicalCall& call = *self->what_.call;
  AsyncRetries& retries = *self;
  std::lock_guard<std::mutex> lock(retries.mutex_);
  retries.wait_ = std::make_unique<Wait>();
  if (call.parent()) {
    retries.wait_->parts = 2;
    retries.wait_->parent = ParentWatch::Start(
        retries.what_.channel, call.method().name, call.parent(),
        [self](std::unique_ptr<ParentWatch> watch) mutable {
          WatchEnded(std::move(self), std::move(watch));
        });
  }
  // An alarm keeps its function until it is destroyed: what holds the alarm
  // must not be held by it any longer than it takes to fire.
  retries.wait_->alarm.Set(
      ToGrpc(retries.cancelled_ ? SteadyNow() : step.wake_at),
      [self = std::move(self)](bool) mutable { AlarmFired(std::move(self)); });
}

void AsyncRetries::AlarmFired(Self self) {
  std::unique_lock<std::mutex> lock(self->mutex_);
  Wait& wait = *self->wait_;
  wait.fired = true;
  if (wait.parent != nullptr) wait.parent->Stop();
  WaitPartEnded(std::move(self), std::move(lock));
}

void AsyncRetries::WatchEnded(Self self, std::unique_ptr<ParentWatch> watch) {
  std::unique_lock<std::mutex> lock(self->mutex_);
  Wait& wait = *self->wait_;
  wait.parent = nullptr;  // Until here the alarm may have stopped it.
  watch.reset();
  if (!wait.fired) {  // The parent is gone: so is who asked for this call.
    self->cancelled_ = true;
    wait.alarm.Cancel();
  }
  WaitPartEnded(std::move(self), std::move(lock));
}

void AsyncRetries::WaitPartEnded(Self self, std::unique_lock<std::mutex> lock) {
  if (--self->wait_->parts > 0) {
    self.reset();  // The other part, which waits for the mutex, goes on.
    return;
  }
  const std::unique_ptr<Wait> wait = std::move(self->wait_);
  const bool cancelled = self->cancelled_;
  lock.unlock();
  LogicalCall& call = *self->what_.call;
  const Step step = cancelled ? call.Cancelled() : call.TimerFired(SteadyNow());
  Carry(std::move(self), step);
}

void AsyncRetries::Finish(Self self, const Step& step) {
  Retryable& what = self->what_;
  const Retried retried = {
      what.call->Finish(step, StatusFor(step, what.status, *what.call)),
      self->attempt_.get()};
  const Done done = std::move(self->done_);
  self.reset();
  done(retried);
}

void AsyncRetries::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (attempting_) attempt_->context.TryCancel();
  if (wait_ != nullptr) wait_->alarm.Cancel();
}

BlockingRetries::BlockingRetries(Retryable what) : what_(std::move(what)) {}

Retried BlockingRetries::Run(Step step) {
  while (!step.finished) step = step.start ? RunAttempt(step) : RunWait(step);
  return {what_.call->Finish(step, StatusFor(step, what_.status, *what_.call)),
          attempt_.get()};
}

Step BlockingRetries::RunAttempt(const Step& step) {
  LogicalCall& call = *what_.call;
  auto attempt = std::make_unique<Attempt>(what_.context, call.parent(), step,
                                           SteadyNow());
  Attempt* const started = attempt.get();
  call.AttemptStarted(step);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (cancelled_) started->context.TryCancel();
    std::swap(attempt_, attempt);
    attempting_ = true;
  }
  const grpc::internal::RpcMethod method(call.method().name.c_str(),
                                         grpc::internal::RpcMethod::NORMAL_RPC);
  started->status =
      grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
          what_.channel.get(), method, &started->context, what_.request,
          &started->response);
  what_.status = started->status;
  bool cancelled;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    attempting_ = false;
    cancelled = cancelled_;
  }
  return call.AttemptEnded(SteadyNow(), started->status,
                           started->context.GetServerTrailingMetadata(),
                           started->context.debug_error_string(), cancelled);
}

Step BlockingRetries::RunWait(const Step& step) {
  const bool over = what_.call->parent() ? WaitWithParent(step.wake_at)
                                         : WaitAlone(step.wake_at);
  return over ? what_.call->TimerFired(SteadyNow()) : what_.call->Cancelled();
}

bool BlockingRetries::WaitAlone(absl::Time wake_at) {
  const InFlight counted{InFlight::kAlarm};
  const std::chrono::steady_clock::time_point wake_up(
      absl::ToChronoNanoseconds(wake_at - absl::UnixEpoch()));
  std::unique_lock<std::mutex> lock(mutex_);
  woken_.wait_until(lock, wake_up, [this] { return cancelled_; });
  return !cancelled_;
}

bool BlockingRetries::WaitWithParent(absl::Time wake_at) {
  ParentWait wait(what_.channel, what_.call->method().name,
                  what_.call->parent());
  {
    std::lock_guard<std::mutex> lock(mutex_);
    parent_wait_ = &wait;
    if (cancelled_) wait.Stop();
  }
  const bool over = wait.Until(wake_at);
  std::lock_guard<std::mutex> lock(mutex_);
  parent_wait_ = nullptr;
  return over;
}

void BlockingRetries::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (attempting_) attempt_->context.TryCancel();
  if (parent_wait_ != nullptr) parent_wait_->Stop();
  woken_.notify_all();
}

}  // namespace forbear
