#include "examples/policy/answers.h"

#include "absl/time/time.h"
#include "interceptors/context/chance.h"
#include "interceptors/policy/pushback.h"

namespace policy_tool {
namespace {

using forbear::AttemptEnd;
using forbear::CallFacts;
using forbear::MethodPolicy;
using forbear::Repeatable;
using forbear::StatusClass;
using forbear::Verdict;

// The verdict on a first failure; kSucceeded stands for "goes on".
Verdict VerdictOn(const MethodPolicy& policy, CallFacts facts,
                  const AttemptEnd& end) {
  MethodPolicy unhurried = policy;
  unhurried.default_deadline = absl::InfiniteDuration();
  unhurried.max_deadline = absl::InfiniteDuration();
  facts.has_key = policy.server_honours_keys;  // Each call is given one.
  forbear::RetryCall call(unhurried, {}, facts);
  call.Start(absl::UnixEpoch(), absl::InfiniteFuture(), absl::InfiniteFuture());
  forbear::Chance chance;
  const forbear::Step step = call.AttemptEnded(absl::UnixEpoch(), end, chance);
  if (!step.finished || step.verdict == Verdict::kObserved) {
    return Verdict::kSucceeded;
  }
  return step.verdict;
}

Answer AskAbout(const MethodPolicy& policy, CallFacts facts, AttemptEnd end) {
  Answer answer;
  answer.verdict = VerdictOn(policy, facts, end);
  if (policy.mode == forbear::Mode::kOff) return answer;
  for (const bool proof : {false, true}) {
    for (const bool delay : {false, true}) {
      end.not_applied = proof;
      end.pushback = forbear::Pushback();
      if (delay) {
        end.pushback.kind = forbear::Pushback::Kind::kWait;
        end.pushback.delay = absl::Milliseconds(1);
      }
      if (VerdictOn(policy, facts, end) != Verdict::kSucceeded) continue;
      answer.retried = true;
      answer.needs_delay = delay;
      answer.needs_proof = proof;
      return answer;
    }
  }
  return answer;
}

std::string WhyRepeatable(const MethodPolicy& policy, CallFacts facts) {
  if (policy.repeatable == Repeatable::kYes) return "the policy says so";
  if (facts.declared == Repeatable::kYes) return "its .proto says so";
  return "the server honours the key that each call carries";
}

std::string WhyNot(const MethodPolicy& policy, const Answer& answer,
                   StatusClass of) {
  if (policy.mode == forbear::Mode::kOff) return "the policy is off";
  switch (answer.verdict) {
    case Verdict::kDeferred:
      return "left to the caller of the service that makes the call";
    case Verdict::kAttemptsSpent:
      return "the policy has one attempt";
    default:
      break;
  }
  switch (of) {
    case StatusClass::kConflict:
      return "lost a race: read again, then make a new call";
    case StatusClass::kAmbiguous:
      return "nobody knows what happened";
    default:
      return "the answer is an answer";
  }
}

}  // namespace

std::string Answer::Text() const {
  if (!retried) return "no";
  if (needs_delay && needs_proof) {
    return "after the server's delay, if proved not applied";
  }
  if (needs_delay) return "after the server's delay";
  return needs_proof ? "if proved not applied" : "yes";
}

int Answer::Rank() const {
  if (!retried) return 0;
  return 4 - (needs_delay ? 1 : 0) - (needs_proof ? 2 : 0);
}

Answer Ask(const MethodPolicy& policy, CallFacts facts, absl::StatusCode code) {
  AttemptEnd end;
  end.code = code;
  return AskAbout(policy, facts, end);
}

Answer AskTimeout(const MethodPolicy& policy, CallFacts facts) {
  AttemptEnd end;
  end.code = absl::StatusCode::kDeadlineExceeded;
  end.timed_out = true;
  return AskAbout(policy, facts, end);
}

std::string Why(const Answer& answer, const MethodPolicy& policy,
                CallFacts facts, StatusClass of) {
  if (!answer.retried) return WhyNot(policy, answer, of);
  if (of == StatusClass::kListed) {
    return "the policy lists it: may pass, and may be repeated";
  }
  std::string why = of == StatusClass::kUnknownOutcome
                        ? "may have been done, or not"
                        : "may pass by itself";
  if (of == StatusClass::kThrottled) why = "the server is short of something";
  if (answer.needs_proof) {
    return why + (policy.repeatable == Repeatable::kNo
                      ? "; the policy says: not twice"
                      : "; nothing says that it may be done twice");
  }
  return why + "; may be done twice: " + WhyRepeatable(policy, facts);
}

}  // namespace policy_tool
