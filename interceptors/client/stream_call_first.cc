// The first attempt, which is the stub's own call: what comes back of it, and
// what it means.
#include <grpc/grpc.h>
#include <grpc/slice.h>

#include <string>
#include <utility>

#include "interceptors/client/grpc_inside.h"
#include "interceptors/client/stream_call.h"
#include "interceptors/context/clock.h"

namespace forbear {

using grpc::internal::CompletionQueueTag;
using inside::Friend;
using inside::StreamBatch;

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

}  // namespace forbear
