// When a call's attempts may start, and how long it can take.
//
//   Schedule schedule = ScheduleOf(policy);
//   schedule.waits[0].least;   // Before the first retry.
//
// Thread-safety: a pure function.
// Units:         absl::Duration; infinite where nothing bounds it.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_POLICY_SCHEDULE_H_
#define FORBEAR_EXAMPLES_POLICY_SCHEDULE_H_

#include <vector>

#include "absl/time/time.h"
#include "interceptors/policy/method_policy.h"

namespace policy_tool {

struct Wait {
  absl::Duration least;
  absl::Duration most;
};

struct Schedule {
  // Before each retry; of many retries the first few.
  std::vector<Wait> waits;
  // Of a call that comes without a deadline.
  absl::Duration time;
  // Attempts that fit in it if each times out, or without a timeout fails at
  // once, and each wait is the shortest.
  int fitting_attempts = 0;
  // The longest that a call can take, without the delays that a server asks
  // for and the caller's own deadline, both of which come on top.
  absl::Duration longest;
};

Schedule ScheduleOf(const forbear::MethodPolicy& policy);

}  // namespace policy_tool

#endif  // FORBEAR_EXAMPLES_POLICY_SCHEDULE_H_
