#include "interceptors/client/blocking_retries.h"

#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/rpc_method.h>

#include <chrono>
#include <utility>

#include "interceptors/client/grpc_time.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"

namespace forbear {

BlockingRetries::BlockingRetries(Retryable what) : what_(std::move(what)) {}

Retried BlockingRetries::Run(Step step) {
  while (!step.finished) step = step.start ? RunAttempt(step) : Wait(step);
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
    if (cancelled_) started->context->TryCancel();
    std::swap(attempt_, attempt);
    attempting_ = true;
  }
  const grpc::internal::RpcMethod method(call.method().name.c_str(),
                                         grpc::internal::RpcMethod::NORMAL_RPC);
  started->status =
      grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
          what_.channel.get(), method, started->context.get(), what_.request,
          &started->response);
  what_.status = started->status;
  bool cancelled;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    attempting_ = false;
    cancelled = cancelled_;
  }
  return call.AttemptEnded(SteadyNow(), started->status, started->trailers(),
                           started->debug_string(), cancelled);
}

Step BlockingRetries::Wait(const Step& step) {
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
  if (attempting_) attempt_->context->TryCancel();
  if (parent_wait_ != nullptr) parent_wait_->Stop();
  woken_.notify_all();
}

}  // namespace forbear
