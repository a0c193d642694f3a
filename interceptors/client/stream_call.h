// A streaming call whose first attempt is the call itself.
//
// It goes out as the stub made it. Until it is committed, each of the stub's
// batches passes this object on its way back: what succeeds goes on to the
// stub, what fails is held until the attempt's status is known. If the engine
// then wants another attempt, the held batches, and all that follow, are
// answered from attempts of our own. Once the first attempt is committed, the
// stub speaks to the core by itself: its messages cost what they cost on a
// plain channel.
//
//   internal::Call call = StreamCall::Create(channel, core, method, rpc, ...);
//
// It lives until its ClientContext is gone, and what it has under way has
// ended.
//
// Not part of the library's API.
//
// Thread-safety: as gRPC asks of a call: one batch of a kind at a time;
//                TryCancel() at any time.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_STREAM_CALL_H_
#define FORBEAR_INTERCEPTORS_CLIENT_STREAM_CALL_H_

#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/impl/call.h>
#include <grpcpp/impl/call_hook.h>
#include <grpcpp/impl/codegen/completion_queue_tag.h>
#include <grpcpp/impl/rpc_method.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "interceptors/client/afterwards.h"
#include "interceptors/client/client_core.h"
#include "interceptors/client/logical_call.h"
#include "interceptors/client/replay_buffer.h"
#include "interceptors/client/stream_batch.h"
#include "interceptors/client/stream_retries.h"
#include "interceptors/client/stream_slot.h"
#include "interceptors/context/in_flight.h"

namespace forbear {

class StreamCall final : public grpc::internal::CallHook,
                         private StreamRetries::Relay,
                         private StreamSlot::Owner {
 public:
  // Creates the core's call on `channel`, which must have been made with the
  // factory of CallInterceptor, and with no other.
  static grpc::internal::Call Create(
      std::shared_ptr<grpc::ChannelInterface> channel,
      std::shared_ptr<ClientCore> core, InUse<Method> method,
      const grpc::internal::RpcMethod& rpc, grpc::ClientContext* context,
      grpc::CompletionQueue* cq, bool callback);

  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* ops,
                        grpc::internal::Call* call) override;

 private:
  class Handle;

  enum class Phase : uint8_t {
    kFirst,    // The first attempt is not committed.
    kPassing,  // It is: the stub speaks to the core.
    kRelayed,  // Attempts of ours answer the stub.
    kOver,     // It failed for good before it was committed.
  };
  // There is one batch of a kind at a time.
  enum Kind { kStart, kHeaders, kWrite, kClose, kRead, kFinish, kKinds };

  // Where the core reports the status that we asked it for ourselves.
  struct StatusTag final : public grpc::internal::CompletionQueueTag {
    explicit StatusTag(StreamCall* owner) : call(owner) {}
    bool FinalizeResult(void** tag, bool* ok) override;
    StreamCall* const call;
    grpc_status_code code = GRPC_STATUS_OK;
    grpc_slice message = grpc_empty_slice();
    const char* debug_string = nullptr;
  };

  StreamCall(std::shared_ptr<grpc::ChannelInterface> channel,
             std::shared_ptr<ClientCore> core, InUse<Method> method,
             const grpc::internal::RpcMethod& rpc, grpc::ClientContext* context,
             bool callback);
  ~StreamCall() override;

  // From the call's interceptor.
  void Cancel();
  void Abandon();

  // --- Batches going out ---
  static bool Sends(const inside::StreamBatch& batch);
  static bool Receives(const inside::StreamBatch& batch);
  static Kind KindOf(const inside::StreamBatch& batch);
  // Takes the batch in; the core shall have its operations if it is `given`.
  void Admit(StreamSlot* slot, Afterwards* afterwards);
  void Keep(StreamSlot* slot, Afterwards* afterwards);
  void RunPlucked(StreamSlot* slot);
  void StartTimer(absl::Time when);
  void MakeRetries();
  // The first attempt of a call that reads is hedged at `when`.
  void HedgeAt(absl::Time when);

  // --- Batches coming back ---
  bool Returned(StreamSlot* slot, bool ok) override;
  void FetchStatus();
  void StatusFetched();

  // --- The same, under the mutex ---
  // `fetch`: the status of the first attempt is to be asked for.
  bool MayPass(StreamSlot* slot, bool* fetch, Afterwards* afterwards);
  bool FirstFailed(const StreamSlot& slot, bool ok) const;
  // The first attempt has ended. What that means is decided once all that it
  // has received has come back: it may be committed.
  void FirstEnded(grpc::Status status, Afterwards* afterwards);
  // What the status is that the core gave, if our own timer caused it.
  grpc::Status Translated(grpc::Status status) const;
  void DecideFirst(Afterwards* afterwards);
  // A committed stream has ended: the status that `slot` carries is its end.
  void PassingEnded(StreamSlot* slot);
  void Commit(Afterwards* afterwards);

  // --- Answers, under the mutex ---
  void Serve(Afterwards* afterwards) override;
  // A hedge has answered before the first attempt: its batches will fail, and
  // be answered from the hedge.
  void TakenOver() override;
  void ServeOne(StreamSlot* slot, Afterwards* afterwards);
  bool CanAnswer(const StreamSlot& slot) const;
  bool HasSent(const StreamSlot& slot) const;
  bool AnswerRelayed(StreamSlot* slot, Afterwards* afterwards);
  void AnswerStatus(StreamSlot* slot);
  void ShowHeaders();
  // Lets the stub have it.
  void Release(StreamSlot* slot, bool ok, Afterwards* afterwards);
  void TimerFired(bool ran_out);
  void Idle() override;

  const std::shared_ptr<grpc::ChannelInterface> channel_;
  grpc::ClientContext* const context_;
  const bool one_answer_;
  LogicalCall call_;
  Step first_;  // What the engine said to the start of the call.
  StubSide stub_;
  std::atomic<bool> passing_{false};

  std::mutex mutex_;                  // Guards the following.
  std::condition_variable released_;  // Of stubs that pluck.
  Phase phase_ = Phase::kFirst;
  ReplayBuffer sent_;
  StreamSlot slots_[kKinds];
  StatusTag status_tag_{this};
  bool headers_asked_ = false;                // By the stub, of the core.
  bool status_asked_ = false;                 // By us, of the core.
  std::optional<grpc::Status> first_status_;  // Until decided.
  bool status_known_ = false;                 // In status_.
  grpc::Status status_;                       // For the stub, once over.
  std::string debug_string_;
  std::optional<StreamRetries> retries_;
  bool headers_shown_ = false;
  bool cancelled_ = false;
  bool ended_ = false;  // The engine knows of the end.
  StreamRetries::UnderWay under_way_;
  bool timed_out_ = false;
  std::optional<grpc::Alarm> timer_;  // Of the first attempt's own time.
  std::optional<InFlight> timer_running_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_STREAM_CALL_H_
