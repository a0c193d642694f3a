// Carries out what the engine says: further attempts, hedges, and the waits
// between.
//
// Holds no thread: attempts, timers and waits end on gRPC's threads. What ends
// goes to the engine in turn, and the engine's step is carried out; once it has
// finished, all that is under way is cancelled, and the call's owner is told
// when the last of it has come back. Then nothing of the call is left.
//
// May be cancelled from any thread, also under the mutex of the caller's
// ClientContext, where TryCancel() runs: it then sets a flag, wakes the wait
// and cancels the attempts, and the end follows from there.
//
// Not part of the library's API.
//
// Thread-safety: safe; Cancel() at any time.
// Units:         instants of SteadyNow().
// Errors:        none; the result is a status.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_RETRIES_H_
#define FORBEAR_INTERCEPTORS_CLIENT_RETRIES_H_

#include <grpcpp/channel.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/string_ref.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/client/attempt.h"
#include "interceptors/client/logical_call.h"
#include "interceptors/client/parent.h"
#include "interceptors/policy/retry_call.h"

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
  // Whose answer it is, if it was made here.
  Attempt* attempt = nullptr;
};

// The status of a call that ended with `step`. A call that was never sent has
// no status of its own; every other keeps that of its last attempt, unless its
// caller cancelled it.
grpc::Status StatusFor(const Step& step, const grpc::Status& last,
                       const LogicalCall& call);

// What is passed along as `self` is the right to go on. It is given up before
// `done` runs: by then the caller of the call owns the rest, and a thread of
// gRPC must not be the last to hold a channel.
class AsyncRetries : public std::enable_shared_from_this<AsyncRetries> {
 public:
  using Self = std::shared_ptr<AsyncRetries>;
  using Done = std::function<void(const Retried&)>;
  using Metadata = std::multimap<grpc::string_ref, grpc::string_ref>;

  // `done` runs once, on one of gRPC's threads or within a call of these
  // functions. Until then somebody else holds the retries as well.
  static Self Make(Retryable what, Done done);
  ~AsyncRetries();

  // Carries out `step` and whatever follows from it.
  static void Carry(Self self, const Step& step);

  // The same where the attempt that `first` says to start is made by whoever
  // calls this, who tells of its end. Until then `cancel` ends it early.
  static void CarryBeside(Self self, const Step& first,
                          std::function<void()> cancel);
  static void FirstEnded(Self self, const grpc::Status& status,
                         const Metadata& trailers,
                         absl::string_view debug_string);

  void Cancel();

 private:
  struct Timer;
  using Turn = std::unique_lock<std::mutex>;
  using Fresh = absl::InlinedVector<Attempt*, 1>;

  AsyncRetries(Retryable what, Done done);

  // --- What happens, each in its turn ---
  static void AttemptEnded(Self self, Attempt& attempt,
                           const grpc::Status& status);
  static void TimerFired(Self self, const Timer* timer);
  static void WatchEnded(Self self, std::unique_ptr<ParentWatch> watch);
  // Ends a turn: starts what is `fresh`, or ends the call.
  static void Leave(Self self, Turn turn, const Fresh& fresh);

  // --- With turn_ held ---
  // Carries out `step` but for the start of attempts, which it returns.
  Fresh Follow(const Self& self, Step step);
  Attempt* Add(const Step& step);
  void End(const Step& step);
  // Waits until then, or not at all.
  void SetTimer(const Self& self, absl::Time wake_at);
  void StopTimer();
  Step WaitOver();
  bool cancelled();

  // --- Without ---
  void Launch(Attempt& attempt);
  static void Finish(Self self);

  Retryable what_;
  Done done_;

  std::mutex turn_;  // Guards the following; attempts start without it.
  bool finished_ = false;
  Step last_;                 // Once it is.
  int pending_ = 0;           // What will still come back.
  bool wait_over_ = false;    // Its timer has fired; its watch is to end.
  Attempt* shown_ = nullptr;  // The last that ended.
  std::function<void()> cancel_first_;  // While somebody else's is under way.

  std::mutex mutex_;  // Guards the following, and is held for moments.
  bool cancelled_ = false;
  absl::InlinedVector<std::unique_ptr<Attempt>, 1> attempts_;
  std::shared_ptr<Timer> timer_;
  ParentWatch* watch_ = nullptr;  // During a wait, until it has ended.
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_RETRIES_H_
