// What a stream is answered once attempts of ours have taken over from its
// first, and once it is over.
#include <grpc/grpc.h>

#include <string>

#include "interceptors/client/grpc_inside.h"
#include "interceptors/client/not_applied.h"
#include "interceptors/client/stream_call.h"
#include "interceptors/context/clock.h"

namespace forbear {

using inside::Friend;
using inside::StreamBatch;

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
