// Part 3, a deadline: one call that has 2,000 ms, and what becomes of it.
//
//   const forbear::CallTrace trace = RunCase(kDeadlineCases[0]);
//
// Thread-safety: pure functions.
// Units:         a trace counts from the call's start.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_DEADLINE_H_
#define FORBEAR_EXAMPLES_LAB_DEADLINE_H_

#include <vector>

#include "interceptors/testing/scripted_callee.h"
#include "interceptors/testing/simulated_call.h"

namespace lab {

struct DeadlineCase {
  const char* name;
  const char* callee;  // What it does, for the table.
  std::vector<forbear::Reply> (*script)();
};

extern const DeadlineCase kDeadlineCases[4];

// Deadline 2,000 ms, attempt timeout 800 ms, up to 4 retries, full jitter from
// 100 ms to 1,000 ms, seed 7.
forbear::CallTrace RunCase(const DeadlineCase& deadline_case);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_DEADLINE_H_
