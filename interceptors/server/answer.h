// The last look at an answer before it goes out.
//
// Two things about it are the server's word, not the handler's. That a call
// was not applied: only who kept it from its handler knows that. And that
// retrying is done: when a call made for this one gave up, and this one fails
// for the same reason, then callers must not multiply the attempts, and are
// told so by gRPC's pushback, which every gRPC client with a retry policy
// obeys.
//
//   CallScope& scope = ...;  // Not ended yet.
//   const bool told = SettleAnswer(scope, code, Mode::kEnforce, &trailers);
//
// Thread-safety: as that of the trailers: the call's own thread.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_SERVER_ANSWER_H_
#define FORBEAR_INTERCEPTORS_SERVER_ANSWER_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/policy/method_policy.h"

namespace forbear {

// A handler may answer with any number. Those outside of gRPC's codes go out as
// they are, and count as UNKNOWN.
absl::StatusCode AnswerCode(int code);

// Corrects the trailers of a handler that ran and answered with `code`. Returns
// true if they now say, by our doing, that the caller should not retry; a
// pushback of the handler's own stands as it is.
bool SettleAnswer(const CallScope& scope, absl::StatusCode code, Mode mode,
                  std::multimap<std::string, std::string>* trailers);

// How much of the time from `entered` to `now` came after `deadline`.
absl::Duration PastDeadline(absl::Time entered, absl::Time deadline,
                            absl::Time now);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_ANSWER_H_
