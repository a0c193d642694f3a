#include "interceptors/client/stream_slot.h"

#include <grpcpp/impl/call.h>

#include "interceptors/client/grpc_inside.h"

namespace forbear {

using grpc::internal::Call;
using grpc::internal::CallOpSetInterface;
using grpc::internal::CompletionQueueTag;
using inside::Friend;

bool StubSide::Pluck(void* tag) const {
  return grpc_completion_queue_pluck(
             queue->cq(), tag, gpr_inf_future(GPR_CLOCK_MONOTONIC), nullptr)
             .success != 0;
}

void StreamSlot::Interpose() {
  came_back_ = false;
  if (stub_->waits == StubWaits::kByPlucking) return;
  stub_tag_ = batch.core_tag();
  if (stub_->waits == StubWaits::kByQueue) {
    Friend::RegisterReturn(*stub_->queue);
    batch.SetCoreTag(static_cast<CompletionQueueTag*>(this));
    return;
  }
  functor_run = &StreamSlot::Run;
  inlineable =
      static_cast<grpc_completion_queue_functor*>(stub_tag_)->inlineable;
  batch.SetCoreTag(static_cast<grpc_completion_queue_functor*>(this));
}

void StreamSlot::Fill() {
  // Without the interceptors' list a batch does not run them.
  Call bare(stub_->call, stub_->hook, stub_->queue);
  batch.ops()->FillOps(&bare);
}

void StreamSlot::GiveBack() {
  if (!given) {
    Fill();
    return;
  }
  switch (stub_->waits) {
    case StubWaits::kByCallback:
      Forward();
      return;
    case StubWaits::kByQueue:
      // An empty batch, whose completion the stub takes for its own.
      came_back_ = true;
      grpc_call_start_batch(stub_->call, nullptr, 0,
                            static_cast<CompletionQueueTag*>(this), nullptr);
      return;
    default:
      if (!ok) {
        FailPlucked();
        return;
      }
      grpc_call_start_batch(stub_->call, nullptr, 0, batch.ops(), nullptr);
  }
}

void StreamSlot::Run(grpc_completion_queue_functor* functor, int ok) {
  StreamSlot* const slot = static_cast<StreamSlot*>(functor);
  if (slot->owner_->Returned(slot, ok != 0)) slot->Forward();
}

bool StreamSlot::FinalizeResult(void** tag, bool* result) {
  if (came_back_) {
    *result = ok;
  } else if (!owner_->Returned(this, *result)) {
    return false;  // It will come back.
  }
  grpc::CompletionQueue& queue = *stub_->queue;
  batch.SetCoreTag(stub_tag_);
  const bool shown = batch.ops()->FinalizeResult(tag, result);
  Friend::CompleteReturn(queue);
  return shown;
}

void StreamSlot::Forward() {
  auto* const stub = static_cast<grpc_completion_queue_functor*>(stub_tag_);
  batch.SetCoreTag(stub);
  stub->functor_run(stub, ok);
}

// A message for a call that has ended: it fails, and the stub hears of it.
void StreamSlot::FailPlucked() {
  grpc_op op = {};
  op.op = GRPC_OP_SEND_MESSAGE;
  grpc_byte_buffer* const message = grpc_raw_byte_buffer_create(nullptr, 0);
  op.data.send_message.send_message = message;
  grpc_call_start_batch(stub_->call, &op, 1, batch.ops(), nullptr);
  grpc_byte_buffer_destroy(message);
}

}  // namespace forbear
