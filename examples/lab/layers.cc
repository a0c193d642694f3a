#include "examples/lab/layers.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/policy/verdict.h"
#include "interceptors/server/answer.h"
#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/scripted_callee.h"
#include "interceptors/testing/simulated_call.h"
#include "interceptors/testing/split_mix64.h"

namespace lab {
namespace {

// What the caller of a handler sees once the handler's own call has ended.
forbear::AttemptEnd AnswerOf(const forbear::CallTrace& call, Signal signal) {
  forbear::CallScope scope({});
  if (forbear::GaveUp(call.verdict)) scope.NoteGaveUp(call.code);
  std::multimap<std::string, std::string> trailers;
  forbear::SettleAnswer(
      scope, call.code,
      signal == Signal::kOn ? forbear::Mode::kEnforce : forbear::Mode::kOff,
      &trailers);
  std::vector<absl::string_view> pushbacks;
  for (const auto& [key, value] : trailers) {
    if (key == forbear::kPushbackKey) pushbacks.push_back(value);
  }
  forbear::AttemptEnd end;
  end.code = call.code;
  end.pushback = forbear::ReadPushback(pushbacks, "");
  return end;
}

}  // namespace

int AttemptsReaching(const Stack& stack, Signal signal) {
  forbear::ManualClock clock;
  forbear::SplitMix64 chance(7);
  forbear::SimulatedCall call;
  call.policy.max_attempts = 1 + stack.retries;
  call.policy.repeatable = forbear::Repeatable::kYes;

  int reached = 0;
  const forbear::Callee dead = [&](const forbear::Arrival&,
                                   const forbear::Answer& answer) {
    ++reached;
    answer(forbear::Fail(absl::StatusCode::kUnavailable).end);
  };
  const auto layer_above = [&](forbear::Callee below) -> forbear::Callee {
    return [&, below = std::move(below)](const forbear::Arrival& arrival,
                                         forbear::Answer answer) {
      forbear::SimulatedCall inner = call;
      inner.inbound = arrival.time;
      forbear::StartCall(clock, chance, inner, below,
                         [signal, answer = std::move(answer)](
                             const forbear::CallTrace& trace) {
                           answer(AnswerOf(trace, signal));
                         });
    };
  };
  forbear::Callee callee = dead;
  for (int layer = 1; layer < stack.layers; ++layer) {
    callee = layer_above(std::move(callee));
  }
  forbear::RunCall(clock, chance, call, std::move(callee));
  return reached;
}

}  // namespace lab
