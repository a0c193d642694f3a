// How a storm goes: what is offered, and how the shop fares, phase by phase.
//
//   for (const Phase& phase : kPlan) SetFault(phase.fault);
//
// Thread-safety: constants.
// Units:         absl::Duration; orders and calls per second.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_PLAN_H_
#define FORBEAR_EXAMPLES_STORM_PLAN_H_

#include "absl/time/time.h"
#include "proto/shop_admin.pb.h"

namespace storm {

enum PhaseName {
  kHealthy,
  kSlow,
  kFailing,
  kHanging,
  kRecovering,
  kPaymentsDie,
  kSweep
};
constexpr int kPhases = kSweep + 1;

// What routes can answer in a second, as long as it is well.
constexpr int kCapacity = 300;

struct Phase {
  const char* name;
  shop::Fault fault;
  int admitted_per_second;  // By routes.
  int orders_per_second;
  absl::Duration length;   // kRecovering ends once the shop has recovered.
  absl::Duration sampled;  // One order, placed so long after, is drawn.
};
// How long after its phase began payments is killed.
constexpr absl::Duration kPaymentsLive = absl::Milliseconds(500);

constexpr Phase kPlan[kPhases] = {
    {"healthy", shop::FAULT_NONE, kCapacity, 58, absl::Seconds(2),
     absl::Seconds(1)},
    {"slow", shop::FAULT_SLOW, kCapacity, 58, absl::Seconds(3),
     absl::Seconds(1)},
    {"failing fast", shop::FAULT_FAILING, kCapacity, 58, absl::Seconds(3),
     absl::Seconds(1)},
    {"hanging", shop::FAULT_HANGING, kCapacity, 58, absl::Seconds(3),
     absl::Seconds(1)},
    {"recovering", shop::FAULT_NONE, 80, 58, absl::Seconds(6),
     absl::Milliseconds(200)},
    {"payments dies", shop::FAULT_NONE, kCapacity, 116,
     absl::Milliseconds(2'500), absl::Milliseconds(484)},
    {"sweeping", shop::FAULT_NONE, kCapacity, 58, absl::Seconds(3),
     absl::Milliseconds(200)},
};

// Over how long forbear's sweep is spread.
constexpr absl::Duration kSweepWindow = absl::Milliseconds(2'500);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_PLAN_H_
