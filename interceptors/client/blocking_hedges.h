// Hedges of a sync stub's call, on the thread of its caller.
//
// As with BlockingRetries, no other thread is needed: all attempts complete on
// the queue of the stub's own call, where the caller waits. The first attempt
// is the stub's call itself; when another wins, that one is cancelled, and its
// caller sees the winner's answer.
//
//   BlockingHedges hedges(what, {end, context, call});
//   Retried last = hedges.Run(step);
//
// Not part of the library's API.
//
// Thread-safety: Cancel() is safe at any time, also under the mutex of the
//                caller's ClientContext; Run() is called once.
// Units:         instants of SteadyNow().
// Errors:        none; the result is a status.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_BLOCKING_HEDGES_H_
#define FORBEAR_INTERCEPTORS_CLIENT_BLOCKING_HEDGES_H_

#include <grpcpp/client_context.h>
#include <grpcpp/impl/call.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <mutex>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/client/attempt.h"
#include "interceptors/client/blocking_retries.h"
#include "interceptors/client/grpc_inside.h"
#include "interceptors/client/retries.h"
#include "interceptors/policy/retry_call.h"

namespace forbear {

class BlockingHedges {
 public:
  // The first attempt: its batch, which reports under its own address, and
  // whose code was forgotten before it started.
  struct First {
    inside::Batch batch;
    grpc::ClientContext* context;
    grpc::internal::Call call;
    bool under_way;
  };

  BlockingHedges(Retryable what, const First& first);
  ~BlockingHedges();

  // Carries out `step` and whatever follows from it. All attempts have ended,
  // and their events were taken, when it returns.
  Retried Run(Step step);

  void Cancel();

 private:
  struct Own;  // An attempt of ours.

  void Launch(const Step& step);
  // Waits until an attempt has completed, or until then: false.
  bool AwaitCompletion(absl::Time until);
  bool Pluck(absl::Time until);
  // Notes which have completed and were not told of; how many these are.
  int FindCompleted();
  // Tells of these, and carries out what follows.
  Step Tell(Step step);
  Step Tell(Step step, const grpc::Status& status,
            const inside::Metadata& trailers, absl::string_view debug_string,
            Attempt* own);
  void CancelAll();
  bool cancelled();

  Retryable what_;
  First first_;
  BlockingRetries waits_;  // Does the waiting where nothing is under way.
  bool first_completed_ = false;
  absl::InlinedVector<Own*, 2> completed_;
  Attempt* shown_ = nullptr;  // The last that was told of, if it is ours.

  std::mutex mutex_;  // Guards the following, and is held for moments.
  bool cancelled_ = false;
  absl::InlinedVector<std::unique_ptr<Own>, 2> own_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_BLOCKING_HEDGES_H_
