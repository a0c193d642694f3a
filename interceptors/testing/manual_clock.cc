#include "interceptors/testing/manual_clock.h"

#include <algorithm>
#include <utility>

namespace forbear {

ManualClock::Timer ManualClock::AddTimer(absl::Time at,
                                         std::function<void()> fire, int rank) {
  const Timer timer(std::max(at, now_), rank, added_++);
  timers_.emplace(timer, std::move(fire));
  return timer;
}

bool ManualClock::Cancel(const Timer& timer) {
  return timers_.erase(timer) != 0;
}

void ManualClock::AdvanceTo(absl::Time to) {
  while (FireNextBy(to)) {
  }
  now_ = std::max(now_, to);
}

bool ManualClock::FireNext() { return FireNextBy(absl::InfiniteFuture()); }

void ManualClock::RunUntilIdle() {
  while (FireNext()) {
  }
}

bool ManualClock::FireNextBy(absl::Time last) {
  const auto next = timers_.begin();
  if (next == timers_.end()) return false;
  const absl::Time at = std::get<absl::Time>(next->first);
  if (at > last || at == absl::InfiniteFuture()) return false;
  now_ = std::max(now_, at);
  const std::function<void()> fire = std::move(next->second);
  timers_.erase(next);
  fire();
  return true;
}

}  // namespace forbear
