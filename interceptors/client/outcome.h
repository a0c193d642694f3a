// What became of a call that failed: is it known not to have been applied?
//
// A timeout, or a connection that broke, does not say whether the server did
// the work. Some failures do: the server's guard refused the call before its
// handler, or no connection could be had. The answer covers every attempt of
// the call.
//
//   if (!status.ok() && forbear::OutcomeOf(context) == Outcome::kUnknown) {
//     order.state = PENDING;  // Reconcile it: the card may have been charged.
//   }
//
// Thread-safety: as the context's: after the call has ended.
// Units:         none.
// Errors:        none. Meaningful for failed unary calls on a forbear channel.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_OUTCOME_H_
#define FORBEAR_INTERCEPTORS_CLIENT_OUTCOME_H_

#include <grpcpp/client_context.h>

namespace forbear {

enum class Outcome {
  kNotApplied,  // Nothing has happened.
  kUnknown,     // It may have happened, or not: a state of its own.
};

Outcome OutcomeOf(const grpc::ClientContext& context);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_OUTCOME_H_
