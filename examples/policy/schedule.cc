#include "examples/policy/schedule.h"

#include <algorithm>

#include "interceptors/policy/backoff.h"

namespace policy_tool {
namespace {

using forbear::BackoffOptions;
using forbear::Jitter;
using forbear::MethodPolicy;

constexpr int kShown = 10;
constexpr int kCounted = 100'000;  // More attempts than any call has time for.

Wait WaitBefore(const BackoffOptions& backoff, int retry) {
  const absl::Duration c = forbear::Backoff::Ceiling(backoff, retry);
  switch (backoff.jitter) {
    case Jitter::kNone:
      return {c, c};
    case Jitter::kFull:
      return {absl::ZeroDuration(), c};
    case Jitter::kEqual:
      return {c / 2, c};
    case Jitter::kProportional:
      return {0.8 * c, 1.2 * c};
    case Jitter::kDecorrelated: {
      BackoffOptions tripling = backoff;
      tripling.multiplier = 3;
      return {backoff.initial, forbear::Backoff::Ceiling(tripling, retry + 1)};
    }
  }
  return {};
}

bool Bounded(absl::Duration time) { return time != absl::InfiniteDuration(); }

int FittingAttempts(const MethodPolicy& policy, absl::Duration time) {
  const absl::Duration attempt = Bounded(policy.attempt_timeout)
                                     ? policy.attempt_timeout
                                     : absl::ZeroDuration();
  absl::Duration started = absl::ZeroDuration();
  int attempts = 1;
  while (attempts < std::min(policy.max_attempts, kCounted)) {
    started += attempt + WaitBefore(policy.backoff, attempts).least;
    if (time - started < policy.least_useful_time || started >= time) {
      return attempts;
    }
    ++attempts;
  }
  return policy.max_attempts;
}

absl::Duration Longest(const MethodPolicy& policy) {
  if (policy.max_attempts > kCounted || !Bounded(policy.attempt_timeout)) {
    return policy.max_deadline;
  }
  absl::Duration total = policy.attempt_timeout;
  for (int retry = 1; retry < policy.max_attempts; ++retry) {
    total += policy.attempt_timeout + WaitBefore(policy.backoff, retry).most;
  }
  return std::min(total, policy.max_deadline);
}

}  // namespace

Schedule ScheduleOf(const MethodPolicy& policy) {
  Schedule schedule;
  for (int retry = 1; retry < std::min(policy.max_attempts, kShown + 1);
       ++retry) {
    schedule.waits.push_back(WaitBefore(policy.backoff, retry));
  }
  schedule.time = std::min(policy.default_deadline, policy.max_deadline);
  schedule.fitting_attempts = FittingAttempts(policy, schedule.time);
  schedule.longest = Longest(policy);
  return schedule;
}

}  // namespace policy_tool
