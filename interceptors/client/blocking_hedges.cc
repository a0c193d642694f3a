#include "interceptors/client/blocking_hedges.h"

#include <grpc/grpc.h>
#include <grpcpp/impl/rpc_method.h>

#include <optional>
#include <utility>

#include "interceptors/client/grpc_time.h"
#include "interceptors/context/clock.h"

namespace forbear {

struct BlockingHedges::Own {
  Own(const CallTemplate& call, const Parent& parent, const Step& step)
      : attempt(call, parent, step, SteadyNow()) {}

  Attempt attempt;
  std::optional<inside::PluckedCall> call;
};

BlockingHedges::BlockingHedges(Retryable what, const First& first)
    : what_(std::move(what)),
      first_(first),
      waits_({what_.call, what_.channel, {}, {}, {}}) {}

BlockingHedges::~BlockingHedges() = default;

Retried BlockingHedges::Run(Step step) {
  LogicalCall& call = *what_.call;
  while (!step.finished) {
    if (step.start) Launch(step);
    step.start = false;
    if (call.under_way() == 0) {
      step = waits_.Wait(step);
    } else if (AwaitCompletion(cancelled() ? absl::InfiniteFuture()
                                           : step.wake_at)) {
      step = Tell(step);
    } else {
      step = call.TimerFired(SteadyNow());
    }
  }
  CancelAll();
  const auto under_way = [this] {
    if (first_.under_way) return true;
    for (const auto& own : own_) {
      if (own->attempt.under_way) return true;
    }
    return false;
  };
  while (under_way()) {
    AwaitCompletion(absl::InfiniteFuture());
    Tell(step);
  }
  return {call.Finish(step, StatusFor(step, what_.status, call)), shown_};
}

void BlockingHedges::Launch(const Step& step) {
  LogicalCall& call = *what_.call;
  auto fresh = std::make_unique<Own>(what_.context, call.parent(), step);
  Own& own = *fresh;
  call.AttemptStarted(step);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // gRPC takes a cancellation before, during and after the start of a call.
    if (cancelled_) own.attempt.context->TryCancel();
    own_.push_back(std::move(fresh));
  }
  const grpc::internal::RpcMethod method(call.method().name.c_str(),
                                         grpc::internal::RpcMethod::NORMAL_RPC);
  own.call.emplace(*what_.channel, method, own.attempt.context.get(),
                   first_.call.cq(), what_.request, &own.attempt.response,
                   first_.batch.ops());
}

bool BlockingHedges::AwaitCompletion(absl::Time until) {
  if (!Pluck(until)) return false;
  // An event does not say whose it is; an attempt says that it has completed
  // before there is an event. When there are as many of the one as of the
  // other, the events are theirs.
  int plucked = 1;
  while (FindCompleted() > plucked) {
    Pluck(absl::InfiniteFuture());
    ++plucked;
  }
  return true;
}

bool BlockingHedges::Pluck(absl::Time until) {
  return grpc_completion_queue_pluck(first_.call.cq()->cq(), first_.batch.ops(),
                                     ToGrpc(until), nullptr)
             .type == GRPC_OP_COMPLETE;
}

int BlockingHedges::FindCompleted() {
  first_completed_ = first_.under_way && first_.batch.status_op().completed();
  completed_.clear();
  for (const auto& own : own_) {
    if (own->attempt.under_way && own->call->completed()) {
      completed_.push_back(own.get());
    }
  }
  return static_cast<int>(completed_.size()) + (first_completed_ ? 1 : 0);
}

Step BlockingHedges::Tell(Step step) {
  if (first_completed_) {
    first_.under_way = false;
    step =
        Tell(step, first_.batch.status_op().status(*first_.context),
             *inside::Friend::ReceivedTrailingMetadata(*first_.context).map(),
             first_.batch.status_op().debug_string(), /*own=*/nullptr);
  }
  for (Own* const own : completed_) {
    grpc::ClientContext& context = *own->attempt.context;
    const grpc::Status status = own->call->End();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      own->attempt.under_way = false;
    }
    step = Tell(step, status, context.GetServerTrailingMetadata(),
                context.debug_error_string(), &own->attempt);
  }
  return step;
}

Step BlockingHedges::Tell(Step step, const grpc::Status& status,
                          const inside::Metadata& trailers,
                          absl::string_view debug_string, Attempt* own) {
  LogicalCall& call = *what_.call;
  const int attempt = own == nullptr ? 1 : own->number;
  if (step.finished) {
    call.AttemptLost(SteadyNow(), status, attempt);
    return step;
  }
  shown_ = own;
  what_.status = status;
  step = call.AttemptEnded(SteadyNow(), status, trailers, debug_string,
                           cancelled(), attempt);
  if (step.start) Launch(step);
  step.start = false;
  return step;
}

void BlockingHedges::CancelAll() {
  if (first_.under_way) grpc_call_cancel(first_.call.call(), nullptr);
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& own : own_) {
    if (own->attempt.under_way) own->attempt.context->TryCancel();
  }
}

bool BlockingHedges::cancelled() {
  std::lock_guard<std::mutex> lock(mutex_);
  return cancelled_;
}

void BlockingHedges::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  for (const auto& own : own_) {
    if (own->attempt.under_way) own->attempt.context->TryCancel();
  }
  waits_.Cancel();
}

}  // namespace forbear
