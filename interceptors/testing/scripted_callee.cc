#include "interceptors/testing/scripted_callee.h"

#include <memory>
#include <utility>

namespace forbear {

Reply Succeed(absl::Duration latency) {
  return Fail(absl::StatusCode::kOk, latency);
}

Reply Fail(absl::StatusCode code, absl::Duration latency) {
  Reply reply;
  reply.latency = latency;
  reply.end.code = code;
  return reply;
}

Callee Scripted(ManualClock& clock, std::vector<Reply> script) {
  // Shared, because whoever copies the callee still asks the same one.
  auto replies = std::make_shared<std::vector<Reply>>(std::move(script));
  auto next = std::make_shared<size_t>(0);
  return [&clock, replies, next](const Arrival& arrival, Answer answer) {
    const Reply& reply = (*replies)[*next];
    if (*next + 1 < replies->size()) ++*next;
    clock.AddTimer(arrival.at + reply.latency,
                   [answer, end = reply.end] { answer(end); });
  };
}

}  // namespace forbear
