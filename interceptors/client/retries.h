// Carries out what the engine says: further attempts, and the waits between.
//
// Two drivers of the same engine. AsyncRetries holds no thread: attempts and
// waits end on gRPC's threads. BlockingRetries stays on the thread of a sync
// stub's caller, and needs no other: a sync call made on one of gRPC's few
// callback threads must not depend on the rest of them.
//
// Either may be cancelled from any thread, also under the mutex of the caller's
// ClientContext, where TryCancel() runs: it then sets a flag, wakes the wait or
// cancels the attempt, and the end follows from there.
//
// Not part of the library's API.
//
// Thread-safety: Cancel() is safe at any time; the rest is called by one thread
//                at a time.
// Units:         instants of SteadyNow().
// Errors:        none; the result is a status.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_RETRIES_H_
#define FORBEAR_INTERCEPTORS_CLIENT_RETRIES_H_

#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "interceptors/client/attempt.h"
#include "interceptors/client/logical_call.h"
#include "interceptors/client/parent.h"

namespace forbear {

// What the attempts of a call are made from.
struct Retryable {
  LogicalCall* call;  // Outlives the retries.
  std::shared_ptr<grpc::ChannelInterface> channel;
  CallTemplate context;
  grpc::ByteBuffer request;
  grpc::Status status;  // Of the attempt before these, if there was one.
};

// How they ended.
struct Retried {
  grpc::Status status;  // For the caller, with the phrase that ends it.
  // The last attempt made here, with what it received; null if there was none.
  Attempt* attempt = nullptr;
};

// What is passed along as `self` is the right to go on. It is given up before
// `done` runs: by then the caller of the call owns the rest, and a thread of
// gRPC must not be the last to hold a channel.
class AsyncRetries : public std::enable_shared_from_this<AsyncRetries> {
 public:
  using Self = std::shared_ptr<AsyncRetries>;
  using Done = std::function<void(const Retried&)>;

  // `done` runs once, on one of gRPC's threads or within Carry(). Until then
  // somebody else holds the retries as well.
  static Self Make(Retryable what, Done done);
  ~AsyncRetries();

  // Carries out `step` and whatever follows from it.
  static void Carry(Self self, Step step);

  void Cancel();

 private:
  struct Wait;

  AsyncRetries(Retryable what, Done done);
  static void StartAttempt(Self self, const Step& step);
  static void AttemptEnded(Self self, const grpc::Status& status);
  static void StartWait(Self self, const Step& step);
  static void AlarmFired(Self self);
  static void WatchEnded(Self self, std::unique_ptr<ParentWatch> watch);
  // One of what ends a wait has; `lock` holds the mutex.
  static void WaitPartEnded(Self self, std::unique_lock<std::mutex> lock);
  static void Finish(Self self, const Step& step);

  Retryable what_;
  Done done_;
  std::mutex mutex_;
  bool cancelled_ = false;
  std::unique_ptr<Attempt> attempt_;  // Under way, or the last one.
  bool attempting_ = false;
  std::unique_ptr<Wait> wait_;
};

class BlockingRetries {
 public:
  explicit BlockingRetries(Retryable what);

  // Carries out `step` and whatever follows from it.
  Retried Run(Step step);

  void Cancel();

 private:
  Step RunAttempt(const Step& step);
  Step RunWait(const Step& step);
  bool WaitAlone(absl::Time wake_at);
  bool WaitWithParent(absl::Time wake_at);

  Retryable what_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool cancelled_ = false;
  std::unique_ptr<Attempt> attempt_;
  bool attempting_ = false;
  ParentWait* parent_wait_ = nullptr;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_RETRIES_H_
