#include "interceptors/client/retries.h"

#include <chrono>
#include <utility>

#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/rpc_method.h>

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
  if (call.attempts() == 0) {
    return grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED,
                        "The deadline had passed before the call was sent");
  }
  return last;
}

}  // namespace

// A wait, and what may end it early.
struct AsyncRetries::Wait {
  const InFlight counted{InFlight::kAlarm};
  grpc::Alarm alarm;
  std::unique_ptr<ParentWatch> parent;
};

std::shared_ptr<AsyncRetries> AsyncRetries::Make(Retryable what, Done done) {
  return std::shared_ptr<AsyncRetries>(
      new AsyncRetries(std::move(what), std::move(done)));
}

AsyncRetries::AsyncRetries(Retryable what, Done done)
    : what_(std::move(what)), stub_(what_.channel), done_(std::move(done)) {}

AsyncRetries::~AsyncRetries() = default;

void AsyncRetries::Carry(Step step) {
  if (step.finished) {
    Finish(step);
  } else if (step.start) {
    StartAttempt(step);
  } else {
    StartWait(step);
  }
}

void AsyncRetries::StartAttempt(const Step& step) {
  LogicalCall& call = *what_.call;
  auto attempt = std::make_unique<Attempt>(what_.context, call.parent(), step,
                                           SteadyNow());
  Attempt* const started = attempt.get();
  call.AttemptStarted(step);
  bool cancelled;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    cancelled = cancelled_;
    std::swap(attempt_, attempt);
    attempting_ = true;
  }
  // Cancelled from now on, the attempt is cancelled with the call; gRPC takes
  // that before, during and after its start.
  if (cancelled) started->context.TryCancel();
  stub_.UnaryCall(&started->context, call.method().name, {}, &what_.request,
                  &started->response,
                  [self = shared_from_this()](grpc::Status status) {
                    self->AttemptEnded(status);
                  });
}

void AsyncRetries::AttemptEnded(const grpc::Status& status) {
  Attempt* attempt;
  bool cancelled;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    attempt = attempt_.get();
    attempting_ = false;
    cancelled = cancelled_;
  }
  attempt->status = status;
  what_.status = status;
  Carry(what_.call->AttemptEnded(SteadyNow(), status,
                                 attempt->context.GetServerTrailingMetadata(),
                                 cancelled));
}

void AsyncRetries::StartWait(const Step& step) {
  auto wait = std::make_unique<Wait>();
  if (what_.call->parent()) {
    wait->parent = std::make_unique<ParentWatch>(
        what_.channel, what_.call->method().name, what_.call->parent(),
        [weak = weak_from_this()] {
          if (auto self = weak.lock()) self->Cancel();
        });
  }
  std::lock_guard<std::mutex> lock(mutex_);
  wait_ = std::move(wait);
  // An alarm keeps its function until it is destroyed: what holds the alarm
  // must not be held by it any longer than it takes to fire.
  wait_->alarm.Set(ToGrpc(cancelled_ ? SteadyNow() : step.wake_at),
                   [self = shared_from_this()](bool) mutable {
                     std::shared_ptr<AsyncRetries>(std::move(self))->Woken();
                   });
}

void AsyncRetries::Woken() {
  std::unique_ptr<Wait> wait;
  bool cancelled;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    wait = std::move(wait_);
    cancelled = cancelled_;
  }
  wait.reset();
  Carry(cancelled ? what_.call->Cancelled()
                  : what_.call->TimerFired(SteadyNow()));
}

void AsyncRetries::Finish(const Step& step) {
  Retried retried;
  retried.status = what_.call->Finish(
      step, StatusFor(step, what_.status, *what_.call));
  retried.attempt = attempt_.get();
  // `done` may end the call, and all that belongs to it but this object.
  const std::shared_ptr<AsyncRetries> self = shared_from_this();
  const Done done = std::move(done_);
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
  Retried retried;
  retried.status = what_.call->Finish(
      step, StatusFor(step, what_.status, *what_.call));
  retried.attempt = attempt_.get();
  return retried;
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
  const grpc::internal::RpcMethod method(
      call.method().name.c_str(), grpc::internal::RpcMethod::NORMAL_RPC);
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
                           cancelled);
}

Step BlockingRetries::RunWait(const Step& step) {
  const InFlight counted{InFlight::kAlarm};
  // Shared with the watch, whose last word may come after the wait.
  struct Gone {
    std::mutex mutex;
    BlockingRetries* waiting;
  };
  std::shared_ptr<Gone> gone;
  std::unique_ptr<ParentWatch> parent;
  if (what_.call->parent()) {
    gone = std::make_shared<Gone>();
    gone->waiting = this;
    parent = std::make_unique<ParentWatch>(
        what_.channel, what_.call->method().name, what_.call->parent(), [gone] {
          std::lock_guard<std::mutex> lock(gone->mutex);
          if (gone->waiting != nullptr) gone->waiting->Cancel();
        });
  }
  bool cancelled;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto wake_at = std::chrono::steady_clock::time_point(
        absl::ToChronoNanoseconds(step.wake_at - absl::UnixEpoch()));
    woken_.wait_until(lock, wake_at, [this] { return cancelled_; });
    cancelled = cancelled_;
  }
  if (gone != nullptr) {
    std::lock_guard<std::mutex> lock(gone->mutex);
    gone->waiting = nullptr;
  }
  return cancelled ? what_.call->Cancelled()
                   : what_.call->TimerFired(SteadyNow());
}

void BlockingRetries::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (attempting_) attempt_->context.TryCancel();
  woken_.notify_all();
}

}  // namespace forbear
