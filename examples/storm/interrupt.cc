#include "examples/storm/interrupt.h"

#include <algorithm>

#include "interceptors/context/clock.h"

namespace storm {

Interrupt::Interrupt() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

bool Interrupt::WaitUntil(absl::Time instant) {
  absl::Duration left;
  do {
    left = std::max(instant - forbear::SteadyNow(), absl::ZeroDuration());
    const timespec span = absl::ToTimespec(left);
    if (sigtimedwait(&signals_, nullptr, &span) > 0) ended_ = true;
  } while (!ended_ && left > absl::ZeroDuration());
  return !ended_;
}

}  // namespace storm
