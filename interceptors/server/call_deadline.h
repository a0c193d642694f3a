// Ends a call when its server's own deadline for it passes.
//
// gRPC ends a call at its caller's deadline. A server that allows less, or has
// a caller who never said, has to do so itself: the caller is answered
// DEADLINE_EXCEEDED, the handler's context reads as cancelled, and the calls
// made for this one are cancelled, as at any cancellation.
//
//   CallDeadline deadline(call, now, absl::Seconds(5));
//   ...
//   const bool late = deadline.Over(now);   // The handler has an answer.
//
// Thread-safety: Over() may be called from any thread.
// Units:         instants of SteadyNow().
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_SERVER_CALL_DEADLINE_H_
#define FORBEAR_INTERCEPTORS_SERVER_CALL_DEADLINE_H_

#include <grpc/grpc.h>

#include <memory>

#include "absl/time/time.h"

namespace forbear {

class CallDeadline {
 public:
  // `call` is ended `time` after `now`.
  CallDeadline(grpc_call* call, absl::Time now, absl::Duration time);
  ~CallDeadline();
  CallDeadline(const CallDeadline&) = delete;
  CallDeadline& operator=(const CallDeadline&) = delete;

  // From here on it leaves the call alone. True if it has ended it; an answer
  // that comes too late it ends before it goes out.
  bool Over(absl::Time now);

 private:
  struct State;
  const absl::Time at_;
  const std::shared_ptr<State> state_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_CALL_DEADLINE_H_
