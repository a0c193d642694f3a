#include "tests/admission/station.h"

namespace forbear {
namespace testing {

Station::Call& Station::Send(const std::string& caller, absl::Duration timeout,
                             absl::Duration service, bool repeat) {
  Call& call = calls_.emplace_back();
  call.caller = caller;
  call.latest_start = clock_.Now() + timeout;
  call.repeat = repeat;
  call.service = service;
  call.sent = Now();
  call.timeout = timeout;
  if (const auto pushback =
          queue_.RefusedAtTheDoor(caller, clock_.Now(), chance_)) {
    call.refusal = AdmissionQueue::Refusal::kReturnedEarly;
    call.refused_at = Now();
    call.pushback = *pushback;
    return call;
  }
  AdmissionQueue::Decisions decisions;
  queue_.Arrive(call, clock_.Now(), chance_, &decisions);
  Decide(decisions);
  return call;
}

void Station::Repeat(int count, absl::Duration every,
                     std::function<void()> send) {
  for (int i = 0; i < count; ++i) {
    clock_.AddTimer(clock_.Now() + i * every, send);
  }
}

void Station::Drain() {
  AdmissionQueue::Decisions decisions;
  queue_.Drain(clock_.Now(), chance_, &decisions);
  Decide(decisions);
}

void Station::Decide(const AdmissionQueue::Decisions& decisions) {
  for (const auto& decision : decisions) {
    Call& call = static_cast<Call&>(*decision.call);
    if (decision.refusal.has_value()) {
      call.refusal = decision.refusal;
      call.refused_at = Now();
      call.pushback = decision.pushback;
      continue;
    }
    call.entered_at = Now();
    entered_.push_back(&call);
    clock_.AddTimer(clock_.Now() + call.service, [this, &call] {
      call.finished = Now();
      AdmissionQueue::Decisions next;
      queue_.Leave(call, clock_.Now(), chance_, &next);
      Decide(next);
    });
  }
  SetTimer();
}

void Station::SetTimer() {
  if (timer_.has_value()) clock_.Cancel(*timer_);
  timer_.reset();
  if (queue_.WakeAt() == absl::InfiniteFuture()) return;
  timer_ = clock_.AddTimer(queue_.WakeAt(), [this] {
    timer_.reset();
    AdmissionQueue::Decisions decisions;
    queue_.Tick(clock_.Now(), chance_, &decisions);
    Decide(decisions);
  });
}

}  // namespace testing
}  // namespace forbear
