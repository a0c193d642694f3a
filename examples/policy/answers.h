// What a client does after each failure, asked of the engine that runs in
// production.
//
//   Answer answer = Ask(policy, facts, absl::StatusCode::kUnavailable);
//   answer.Text();   // "yes", "after the server's delay", ...
//
// Thread-safety: pure functions.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_POLICY_ANSWERS_H_
#define FORBEAR_EXAMPLES_POLICY_ANSWERS_H_

#include <string>

#include "absl/status/status.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_call.h"
#include "interceptors/policy/verdict.h"

namespace policy_tool {

struct Answer {
  bool retried = false;
  bool needs_delay = false;  // Only when the server said when.
  bool needs_proof = false;  // Only if proved not to be applied.
  // Of the plain failure, without delay or proof.
  forbear::Verdict verdict = forbear::Verdict::kSucceeded;

  // "yes", "no", "after the server's delay", "if proved not applied", or both.
  std::string Text() const;
  // More is retried on more occasions.
  int Rank() const;
};

// The first failure of a call that has all the time it wants.
Answer Ask(const forbear::MethodPolicy& policy, forbear::CallFacts facts,
           absl::StatusCode code);
// The attempt's own timeout.
Answer AskTimeout(const forbear::MethodPolicy& policy,
                  forbear::CallFacts facts);

// Why that is so, for people who read API documents.
std::string Why(const Answer& answer, const forbear::MethodPolicy& policy,
                forbear::CallFacts facts, forbear::StatusClass of);

}  // namespace policy_tool

#endif  // FORBEAR_EXAMPLES_POLICY_ANSWERS_H_
