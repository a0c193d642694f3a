#include "interceptors/policy_file/policy_fields.h"

#include <algorithm>

#include "interceptors/admission/queue_options.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/hedging.h"

namespace forbear {
namespace {

constexpr DurationRange Timeouts() { return {absl::Milliseconds(1)}; }
constexpr DurationRange Allowances() {
  return {absl::ZeroDuration(), absl::Hours(1)};
}

constexpr NumberRange Calls() { return {0, 1e6}; }

template <typename Enum>
void Choose(absl::string_view name, Enum& value,
            absl::Span<const absl::string_view> names, FieldVisitor& visitor) {
  int index = static_cast<int>(value);
  visitor.Choice(name, index, names);
  value = static_cast<Enum>(index);
}

template <typename Int>
void Count(absl::string_view name, Int& value, NumberRange range,
           FieldVisitor& visitor) {
  int64_t wide = static_cast<int64_t>(value);
  visitor.Whole(name, wide, range);
  value = static_cast<Int>(wide);
}

void VisitAttempts(int& attempts, FieldVisitor& visitor) {
  constexpr int kUnlimited = MethodPolicy::kUnlimitedAttempts;
  bool until_deadline = attempts == kUnlimited;
  visitor.Flag("attempts_until_deadline", until_deadline);
  if (until_deadline) {
    visitor.Refuse("max_attempts",
                   "has no meaning beside attemptsUntilDeadline: leave one of "
                   "them out");
    attempts = kUnlimited;
  } else {
    Count("max_attempts", attempts, {1, kUnlimited}, visitor);
  }
}

void VisitFields(BackoffOptions& backoff, FieldVisitor& visitor) {
  if (!visitor.Enter("backoff", true)) return;
  constexpr absl::Duration kLeast = absl::Microseconds(1);
  Choose("jitter", backoff.jitter, kJitterNames, visitor);
  visitor.Duration("initial", backoff.initial, {kLeast, absl::Hours(1)});
  visitor.Number("multiplier", backoff.multiplier, {1, 1e9});
  visitor.Duration("max", backoff.max, {kLeast, absl::Hours(24)});
  visitor.Duration("resolution", backoff.resolution, {kLeast, absl::Hours(1)});
  visitor.Leave();
}

void VisitFields(HedgingOptions& hedging, FieldVisitor& visitor) {
  if (!visitor.Enter("hedging", hedging.enabled())) return;
  hedging.max_attempts = std::max(hedging.max_attempts, 2);  // It is on.
  Count("max_attempts", hedging.max_attempts, {2, 5}, visitor);
  visitor.Duration("delay", hedging.delay, Allowances());
  visitor.Number("percentile", hedging.percentile, {0, 0.999});
  Count("least_measured", hedging.least_measured, {1, 1e6}, visitor);
  visitor.Number("cap", hedging.cap, {0, 1});
  visitor.Flag("assume_read", hedging.assume_read);
  visitor.Leave();
}

void VisitRepeatable(Repeatable& repeatable, FieldVisitor& visitor) {
  std::optional<bool> said;
  if (repeatable != Repeatable::kUnknown) {
    said = repeatable == Repeatable::kYes;
  }
  visitor.MaybeFlag("repeatable", said);
  repeatable = !said   ? Repeatable::kUnknown
               : *said ? Repeatable::kYes
                       : Repeatable::kNo;
}

void VisitFields(QueueOptions& queue, FieldVisitor& visitor) {
  if (!visitor.Enter("queue", true)) return;
  visitor.Duration("target", queue.target,
                   {absl::Milliseconds(1), absl::Seconds(10)});
  visitor.Duration("max_time", queue.max_time,
                   {absl::Milliseconds(1), absl::Hours(1)});
  Count("max_calls", queue.max_calls, Calls(), visitor);
  visitor.Leave();
}

void VisitThrottle(RetryBudgetOptions& budget, FieldVisitor& visitor) {
  using Rule = RetryBudgetOptions::Rule;
  if (!visitor.Enter("throttle", budget.rule == Rule::kThrottle)) return;
  budget.rule = Rule::kThrottle;
  visitor.Number("max_tokens", budget.max_tokens, {0.001, 1000});
  visitor.Number("token_ratio", budget.token_ratio, {0.001, 1e6});
  visitor.Leave();
}

}  // namespace

void VisitFields(MethodPolicy& policy, FieldVisitor& visitor) {
  Choose("mode", policy.mode, kModeNames, visitor);
  VisitAttempts(policy.max_attempts, visitor);
  visitor.Duration("attempt_timeout", policy.attempt_timeout, Timeouts());
  visitor.Duration("connect_allowance", policy.connect_allowance, Allowances());
  visitor.Duration("default_deadline", policy.default_deadline, Timeouts());
  visitor.Duration("max_deadline", policy.max_deadline, Timeouts());
  visitor.Duration("least_useful_time", policy.least_useful_time, Allowances());
  visitor.Duration("reserve", policy.reserve, Allowances());
  VisitFields(policy.backoff, visitor);
  visitor.Classes(policy.classes);
  VisitFields(policy.hedging, visitor);
  VisitRepeatable(policy.repeatable, visitor);
  visitor.Flag("server_honours_keys", policy.server_honours_keys);
  visitor.MaybeFlag("wait_for_ready", policy.wait_for_ready);
  visitor.Whole("replay_buffer", policy.replay_buffer,
                {0, double{MethodPolicy::kMaxReplayBuffer}});
  visitor.Flag("defer", policy.defer);
  visitor.Duration("p99", policy.p99, {absl::ZeroDuration()});
}

void VisitFields(RetryBudgetOptions& budget, FieldVisitor& visitor) {
  VisitThrottle(budget, visitor);
  if (budget.rule == RetryBudgetOptions::Rule::kThrottle) {
    for (absl::string_view name :
         {"ratio", "ceiling", "burst_window", "floor"}) {
      visitor.Refuse(name, "has no meaning beside throttle: leave it out");
    }
    return;
  }
  visitor.Number("ratio", budget.ratio, {0, 1000});
  visitor.Number("ceiling", budget.ceiling, {0, 1e6});
  visitor.Duration("burst_window", budget.burst_window, Allowances());
  visitor.Number("floor", budget.floor, {0, 1000});
}

void VisitFields(ServerOptions& server, FieldVisitor& visitor) {
  Choose("mode", server.mode, kModeNames, visitor);
  visitor.Duration("minimum_time_left", server.minimum_time_left, Allowances());
  visitor.Flag("enforce_measured_time", server.enforce_measured_time);
  visitor.Duration("default_deadline", server.default_deadline, Timeouts());
  visitor.Duration("max_deadline", server.max_deadline, Timeouts());
  Count("max_concurrent_calls", server.max_concurrent_calls, Calls(), visitor);
  Count("least_concurrent_calls", server.least_concurrent_calls, Calls(),
        visitor);
  VisitFields(server.queue, visitor);
  visitor.Texts("trusted_peers", server.trusted_peers);
}

void VisitFields(ServerMethodOptions& method, FieldVisitor& visitor) {
  Count("max_concurrent_calls", method.max_concurrent_calls, Calls(), visitor);
}

}  // namespace forbear
