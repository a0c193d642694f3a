// A batch of a streaming stub's, caught on its way back, in every stub style.
//
// The core reports a batch's completion to a functor (callback stubs), to a tag
// of a queue, or to a thread that plucks (sync stubs). A slot stands in that
// place for one batch at a time: its owner decides whether what came back goes
// on to the stub, and when and how what was held is told to it.
//
// Not part of the library's API.
//
// Thread-safety: the fields are the owner's, guarded by its mutex; the verbs
//                are called without it, each by one thread at a time.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_STREAM_SLOT_H_
#define FORBEAR_INTERCEPTORS_CLIENT_STREAM_SLOT_H_

#include <grpc/grpc.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/impl/call_hook.h>
#include <grpcpp/impl/codegen/completion_queue_tag.h>

#include <cstdint>

#include "interceptors/client/stream_batch.h"

namespace forbear {

// How a stub waits for what it has started.
enum class StubWaits : uint8_t { kUnknown, kByPlucking, kByQueue, kByCallback };

// The stub's side of a call, which all of its slots share.
struct StubSide {
  StubWaits waits = StubWaits::kUnknown;
  grpc_call* call = nullptr;
  grpc::CompletionQueue* queue = nullptr;
  grpc::internal::CallHook* hook = nullptr;

  // Waits for `tag`, and tells whether its batch succeeded.
  bool Pluck(void* tag) const;
};

class StreamSlot final : private grpc_completion_queue_functor,
                         private grpc::internal::CompletionQueueTag {
 public:
  class Owner {
   public:
    // The core has completed the batch. True: on to the stub with it.
    virtual bool Returned(StreamSlot* slot, bool ok) = 0;

   protected:
    ~Owner() = default;
  };

  void Bind(Owner* owner, const StubSide* stub) {
    owner_ = owner;
    stub_ = stub;
  }

  // Before Fill(): the core reports the batch's completion here. (A thread that
  // plucks takes it for itself.)
  void Interpose();
  // Hands the batch's operations to the core, as far as they are not hidden.
  void Fill();
  // Tells the stub of what was held, or goes on to it, as `ok` says. The call
  // may be gone when it returns.
  void GiveBack();

  // --- The owner's ---
  inside::StreamBatch batch;
  int64_t messages_after = 0;  // Sent by the stream once this batch is.
  bool active = false;         // Not yet released to the stub.
  bool given = false;          // The core has, or had, its operations.
  bool held = false;           // Waits for an answer.
  bool ok = false;             // As it is to be told to the stub.

 private:
  static void Run(grpc_completion_queue_functor* functor, int ok);
  bool FinalizeResult(void** tag, bool* result) override;
  void Forward();
  void FailPlucked();

  Owner* owner_ = nullptr;
  const StubSide* stub_ = nullptr;
  void* stub_tag_ = nullptr;  // Where the stub wants to hear of it.
  bool came_back_ = false;    // Completed once more, to be taken by the stub.
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_STREAM_SLOT_H_
