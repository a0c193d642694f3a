// What a fleet goes through: part 6.
//
//   FleetPlan plan;
//   plan.processes = 1'000;
//   plan.rule = kFleetRules[0];   // Naive retries.
//
// Every call is made by one of the processes, at instants of a Poisson process.
// No process knows of another. The service does one piece of work at a time,
// each in the same time, and keeps what waits in a queue of bounded length. In
// the outage it stands still, and what arrives waits.
//
// Thread-safety: values.
// Units:         loads are shares of the service's capacity.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_FLEET_PLAN_H_
#define FORBEAR_EXAMPLES_LAB_FLEET_PLAN_H_

#include <cstdint>

#include "absl/time/time.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/policy/retry_budget.h"

namespace lab {

// What the service will not begin to work on.
enum class Drop : uint8_t {
  kNothing,
  kExpired,  // Work whose caller has left.
  kDoomed,   // And work whose caller will have left when it is done.
};

// How the processes retry, and what the service drops.
struct FleetRule {
  const char* name;
  const char* short_name;
  forbear::Jitter jitter;
  bool budget;  // Each process has its own.
  Drop drop;
};

inline constexpr FleetRule kFleetRules[] = {
    {"naive", "naive", forbear::Jitter::kNone, false, Drop::kNothing},
    {"jitter", "jitter", forbear::Jitter::kFull, false, Drop::kNothing},
    {"jitter, budget", "budget", forbear::Jitter::kFull, true, Drop::kNothing},
    {"naive; expired dropped", "naive+e", forbear::Jitter::kNone, false,
     Drop::kExpired},
    {"jitter; expired dropped", "jitt.+e", forbear::Jitter::kFull, false,
     Drop::kExpired},
    {"jitter, budget; expired dropped", "budg.+e", forbear::Jitter::kFull, true,
     Drop::kExpired},
    {"jitter; doomed dropped", "jitt.+d", forbear::Jitter::kFull, false,
     Drop::kDoomed},
    {"jitter, budget; doomed dropped", "budg.+d", forbear::Jitter::kFull, true,
     Drop::kDoomed},
};
inline constexpr const FleetRule& kJitterAndBudget = kFleetRules[2];

// What the queue serves first. Full, it refuses the arriving call, or, serving
// the newest first, the oldest.
enum class FleetOrder : uint8_t { kOldest, kNewest };

// What somebody does about it, some time after the outage.
enum class Remedy : uint8_t {
  kNothing,
  kHalfTheLoad,
  kAFifthOfTheLoad,
  kNoRetries,
  kBudget,
  kEmptyQueue,  // As a restart does.
  kNewestFirst,
  kDropExpired,
  kDropDoomed,
};

struct FleetPlan {
  int processes = 10'000;  // [1, 1000000]
  uint64_t seed = 7;
  double calls_per_second = 1;  // Of a process.
  double load = 0.7;            // What these come to.
  FleetRule rule = kFleetRules[0];
  FleetOrder order = FleetOrder::kOldest;
  forbear::RetryBudgetOptions budget;  // The library's defaults.

  absl::Duration healthy = absl::Seconds(10);
  absl::Duration outage = absl::Seconds(30);
  absl::Duration after = absl::Seconds(120);
  Remedy remedy = Remedy::kNothing;
  absl::Duration remedy_at = absl::Seconds(60);  // After the outage.

  int max_attempts = 4;
  absl::Duration attempt_timeout = absl::Seconds(1);
  absl::Duration call_timeout = absl::Seconds(5);
  absl::Duration queue = absl::Seconds(10);  // The work that it holds.

  // Pieces of work a second, and the time that each takes.
  double Capacity() const { return processes * calls_per_second / load; }
  absl::Duration Cost() const { return absl::Seconds(1) / Capacity(); }
};

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_FLEET_PLAN_H_
