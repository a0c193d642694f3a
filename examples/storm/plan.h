// How a storm goes: what is offered, and how routes fares, phase by phase.
//
//   for (const Phase& phase : kPlan) SetFault(phase.fault);
//
// Thread-safety: constants.
// Units:         absl::Duration; orders per second.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_PLAN_H_
#define FORBEAR_EXAMPLES_STORM_PLAN_H_

#include "absl/time/time.h"
#include "proto/shop_admin.pb.h"

namespace storm {

// How the services, and who calls them, go about retries.
enum class Manner { kByHand, kForbear };

constexpr int kOrdersPerSecond = 58;

enum PhaseName { kHealthy, kFailing, kHanging, kRecovering };
constexpr int kPhases = kRecovering + 1;

struct Phase {
  const char* name;
  shop::Fault fault;
  absl::Duration length;  // The last ends once the shop has recovered.
};
constexpr Phase kPlan[kPhases] = {
    {"healthy", shop::FAULT_NONE, absl::Seconds(3)},
    {"failing fast", shop::FAULT_FAILING, absl::Seconds(4)},
    {"hanging", shop::FAULT_HANGING, absl::Seconds(4)},
    {"recovering", shop::FAULT_NONE, absl::Seconds(10)},
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_PLAN_H_
