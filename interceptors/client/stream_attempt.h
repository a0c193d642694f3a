// One attempt of a streaming call, made as a call of our own.
//
// A bidirectional call of bytes, whatever the method's kind is: gRPC's wire
// knows no other. It reports each thing that happens to its owner, and does
// nothing by itself but read one message ahead.
//
// Not part of the library's API.
//
// Thread-safety: the fields are the owner's, guarded by its mutex; the verbs
//                are called without it, each by one thread at a time.
// Units:         none.
// Errors:        none; whatever goes wrong is the attempt's status.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_STREAM_ATTEMPT_H_
#define FORBEAR_INTERCEPTORS_CLIENT_STREAM_ATTEMPT_H_

#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "interceptors/client/attempt.h"
#include "interceptors/client/parent.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/policy/retry_call.h"

namespace forbear {

class StreamAttempt final
    : private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // Each is called by one of gRPC's threads, and once for each verb.
  class Owner {
   public:
    virtual void Started(StreamAttempt* attempt) = 0;
    // Headers came. False: the attempt ends without any.
    virtual void HeadersDone(StreamAttempt* attempt, bool ok) = 0;
    virtual void ReadDone(StreamAttempt* attempt, bool ok) = 0;
    // A message, or the half-close, has been sent.
    virtual void WriteDone(StreamAttempt* attempt, bool ok) = 0;
    virtual void TimedOut(StreamAttempt* attempt, bool ran_out) = 0;
    // The last event. The attempt stays, for what it has received.
    virtual void Done(StreamAttempt* attempt, const grpc::Status& status) = 0;

   protected:
    ~Owner() = default;
  };

  // `time` bounds the whole of it: the attempt's own time, in `step`, ends when
  // the stream is committed.
  StreamAttempt(Owner* owner, const CallTemplate& call, const Parent& parent,
                const Step& step, absl::Duration time, absl::Time now);

  // Starts the call and its first read. Started() runs when the other verbs may
  // follow. `channel` is held by the owner until Done().
  void Start(grpc::ChannelInterface* channel, const std::string& method);
  void Send(const grpc::ByteBuffer& message, grpc::WriteOptions options);
  void SendClose() { StartWritesDone(); }
  void Read() { StartRead(&message); }
  // Done() does not come before as many releases as holds. It is held once from
  // its start, while there may be more to read.
  void Hold() { AddHold(); }
  void Release() { RemoveHold(); }

  void StartTimer(absl::Time when);
  void CancelTimer() { timer_.Cancel(); }

  grpc::ClientContext& context() { return *attempt_.context; }
  int number() const { return attempt_.number; }

  // --- The owner's ---
  grpc::ByteBuffer message;  // The last that was read.
  grpc::ByteBuffer answer;   // The first, where the method answers with one.
  int64_t sent = 0;          // Messages.
  bool ready = false;        // Started.
  bool writing = false;
  bool closing = false;  // What is being written is the half-close.
  bool close_sent = false;
  bool has_headers = false;
  bool has_message = false;
  bool drained = false;  // There is nothing more to read.
  bool released = false;
  std::optional<InFlight> timer;  // While it runs.
  bool timed_out = false;
  bool ended = false;

 private:
  void OnReadInitialMetadataDone(bool ok) override {
    owner_->HeadersDone(this, ok);
  }
  void OnReadDone(bool ok) override { owner_->ReadDone(this, ok); }
  void OnWriteDone(bool ok) override { owner_->WriteDone(this, ok); }
  void OnWritesDoneDone(bool ok) override { owner_->WriteDone(this, ok); }
  void OnDone(const grpc::Status& status) override {
    owner_->Done(this, status);
  }

  Owner* const owner_;
  Attempt attempt_;
  grpc::ByteBuffer sending_;
  grpc::Alarm timer_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_STREAM_ATTEMPT_H_
