// The further attempts of a streaming call, hedges, and the waits between.
//
// Each attempt is sent what the stream has sent so far, in order, while the
// application goes on writing. The attempt that first answers with headers or
// a message commits the stream: it gets no further attempt. (Where the method
// answers with one message, as client streaming does, nothing is shown to the
// application before the end, and nothing is committed by an answer.)
//
// Who relays the stub's batches is told when something has changed, and looks:
//
//   class Relay : public StreamRetries::Relay { void Serve(Afterwards*) ... };
//   if (retries.sent() > index) ...   if (retries.TakeMessage(&message)) ...
//
// Not part of the library's API.
//
// Thread-safety: guarded by the relay's mutex, which every member but the
//                constructor wants held. What calls into gRPC is left for the
//                Afterwards that it is given.
// Units:         instants of SteadyNow(); messages count from 0.
// Errors:        none; the result is a status.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_STREAM_RETRIES_H_
#define FORBEAR_INTERCEPTORS_CLIENT_STREAM_RETRIES_H_

#include <grpcpp/channel.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/client/afterwards.h"
#include "interceptors/client/attempt.h"
#include "interceptors/client/logical_call.h"
#include "interceptors/client/pause.h"
#include "interceptors/client/replay_buffer.h"
#include "interceptors/client/stream_attempt.h"

namespace forbear {

// An attempt's own timer ends it as a cancellation; this is what it was.
grpc::Status AttemptTimedOut();

class StreamRetries final : private StreamAttempt::Owner {
 public:
  class Relay {
   public:
    // Something has changed. The mutex is held.
    virtual void Serve(Afterwards* afterwards) = 0;
    // An attempt made here has answered first. The mutex is held.
    virtual void TakenOver() {}
    // Nothing is under way any more, and the call was abandoned: the relay
    // goes. The mutex is not held.
    virtual void Idle() = 0;

   protected:
    ~Relay() = default;
  };

  // What of a call has not ended: attempts, timers, waits. The one that ends
  // last, once the call was abandoned, calls Idle().
  struct UnderWay {
    int count = 0;
    bool abandoned = false;
    bool Idle() const { return abandoned && count == 0; }
  };

  // What the attempts are made from. All but the template outlives the retries.
  struct Source {
    LogicalCall* call;
    std::shared_ptr<grpc::ChannelInterface> channel;
    CallTemplate context;
    ReplayBuffer* sent;
    bool one_answer;  // The method answers with one message.
  };

  StreamRetries(Relay* relay, std::mutex* mutex, UnderWay* under_way,
                Source source);
  ~StreamRetries();

  // Carries out `step` and whatever follows from it; `status` is that of the
  // attempt before.
  void Begin(const Step& step, const grpc::Status& status,
             Afterwards* afterwards);
  // The relay makes the first attempt itself, and may be hedged from here at
  // the time that its step says. Its end, if it fails, comes by Begin().
  void HedgeAt(absl::Time wake_at, Afterwards* afterwards) {
    SetTimer(wake_at, afterwards);
  }
  // The relay's own attempt has answered, or has ended the call.
  void Stop();

  // The stream has sent more, or has closed. `fits`: all can be replayed.
  void Appended(bool fits, Afterwards* afterwards);
  // The application asks for headers, and commits itself by seeing them.
  void ShowHeaders();
  void Cancel();

  int64_t sent() const;
  bool close_sent() const;
  // The attempt that the stream is committed to has sent headers.
  bool has_headers() const;
  bool has_message() const;
  void TakeMessage(grpc::ByteBuffer* message, Afterwards* afterwards);
  bool over() const { return over_; }
  // Once over, what the caller shall find.
  const grpc::Status& status() const { return status_; }
  // The attempt whose metadata the caller shall find; null before any.
  grpc::ClientContext* context() const;

 private:
  void Started(StreamAttempt* attempt) override;
  void HeadersDone(StreamAttempt* attempt, bool ok) override;
  void ReadDone(StreamAttempt* attempt, bool ok) override;
  void WriteDone(StreamAttempt* attempt, bool ok) override;
  void TimedOut(StreamAttempt* attempt, bool ran_out) override;
  void Done(StreamAttempt* attempt, const grpc::Status& status) override;
  void PauseEnded(const Pause* pause, bool parent_gone);

  void Carry(const Step& step, Afterwards* afterwards);
  void StartAttempt(const Step& step, Afterwards* afterwards);
  // Instead of any earlier time.
  void SetTimer(absl::Time wake_at, Afterwards* afterwards);
  Step WaitOver();
  void End(const Step& step);
  void Answered(StreamAttempt* attempt);
  void Commit(StreamAttempt* attempt);
  void CancelAllBut(const StreamAttempt* attempt);
  // Whether its answers may become the call's.
  bool Runs(const StreamAttempt* attempt) const;
  // Sends what the attempt has not sent yet.
  void Pump(StreamAttempt* attempt, Afterwards* afterwards);
  void MaybeRelease(StreamAttempt* attempt, Afterwards* afterwards);
  // The attempt whose answers the caller gets, as far as that is known.
  StreamAttempt* Current() const;
  // Ends an event: serves, unlocks, and does what is to do.
  void Settle(std::unique_lock<std::mutex> lock, Afterwards* afterwards);

  Relay* const relay_;
  std::mutex* const mutex_;
  UnderWay* const under_way_;
  Source source_;
  grpc::Status status_;
  std::vector<std::unique_ptr<StreamAttempt>> attempts_;
  std::vector<std::unique_ptr<Pause>> pauses_;  // Until they have ended.
  Pause* timer_ = nullptr;                      // The one that counts, or none.
  StreamAttempt* committed_ = nullptr;
  StreamAttempt* ended_last_ = nullptr;
  bool headers_shown_ = false;
  bool overflowed_ = false;  // Too much to replay, with no attempt to send it.
  bool cancelled_ = false;
  bool stopped_ = false;
  bool over_ = false;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_STREAM_RETRIES_H_
