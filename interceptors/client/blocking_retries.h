// Retries on the thread of a sync stub's caller.
//
// AsyncRetries need gRPC's callback threads. A sync call that is made on one of
// these few must not depend on the rest of them: here attempts and waits are
// waited for by the caller itself.
//
//   Retried last = BlockingRetries(what).Run(step);
//
// Not part of the library's API.
//
// Thread-safety: Cancel() is safe at any time, also under the mutex of the
//                caller's ClientContext; Run() is called once.
// Units:         instants of SteadyNow().
// Errors:        none; the result is a status.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_BLOCKING_RETRIES_H_
#define FORBEAR_INTERCEPTORS_CLIENT_BLOCKING_RETRIES_H_

#include <condition_variable>
#include <memory>
#include <mutex>

#include "absl/time/time.h"
#include "interceptors/client/attempt.h"
#include "interceptors/client/parent.h"
#include "interceptors/client/retries.h"
#include "interceptors/policy/retry_call.h"

namespace forbear {

class BlockingRetries {
 public:
  explicit BlockingRetries(Retryable what);

  // Carries out `step` and whatever follows from it.
  Retried Run(Step step);

  // Carries out a step that waits, without any attempt under way.
  Step Wait(const Step& step);

  void Cancel();

 private:
  Step RunAttempt(const Step& step);
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

#endif  // FORBEAR_INTERCEPTORS_CLIENT_BLOCKING_RETRIES_H_
