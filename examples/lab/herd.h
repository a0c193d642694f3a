// Part 1, the herd: clients that fail together, and what each kind of jitter
// makes of their return.
//
// All call at t = 0. The server accepts the first calls of each window of time
// and refuses the rest on the spot. Each client has a generator of its own;
// ties in time go by client number.
//
//   HerdPlan plan;
//   const HerdFigures full = RunHerd(plan, forbear::Jitter::kFull, plan.seed);
//   const HerdMeans means = MeanHerd(plan, forbear::Jitter::kFull);
//
// Thread-safety: pure functions.
// Units:         times count from the first call.
// Errors:        none; the plan is within the ranges beside its fields.
#ifndef FORBEAR_EXAMPLES_LAB_HERD_H_
#define FORBEAR_EXAMPLES_LAB_HERD_H_

#include <cstdint>
#include <map>

#include "absl/time/time.h"
#include "interceptors/policy/backoff.h"

namespace lab {

struct HerdPlan {
  uint64_t seed = 7;
  int clients = 100;                                // [1, 10000]
  absl::Duration base = absl::Milliseconds(100);    // [1 ms, 1 h]
  absl::Duration cap = absl::Milliseconds(3'200);   // [base, 24 h]
  int accept = 10;                                  // [1, 10000], a window.
  absl::Duration window = absl::Milliseconds(100);  // [1 ms, 1 h]
  int runs = 20;  // [1, 1000]. The means are over the seeds from 1 to this.
};

struct HerdFigures {
  int64_t calls = 0;
  int64_t refused = 0;
  int64_t busiest = 0;      // The calls in the busiest window after the first.
  absl::Duration finished;  // When the last call was accepted.
  std::map<int64_t, int64_t> by_window;  // The calls in it; none: left out.
};

HerdFigures RunHerd(const HerdPlan& plan, forbear::Jitter jitter,
                    uint64_t seed);

// Counts in tenths and the time in whole ms, half up on the exact mean.
struct HerdMeans {
  int64_t calls_tenths = 0;
  int64_t refused_tenths = 0;
  int64_t busiest_tenths = 0;
  absl::Duration finished;
};

HerdMeans MeanHerd(const HerdPlan& plan, forbear::Jitter jitter);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_HERD_H_
