// What waits for the service: a queue of bounded length that gives out the
// oldest or the newest first, and, if told to, nothing that has expired or
// that would have by the time it is done.
//
//   WorkQueue queue(plan);
//   if (auto refused = queue.Add(job)) Answer(*refused, UNAVAILABLE);
//   while (auto job = queue.Take(now)) Serve(*job);
//
// Whether a job has expired is the guard's question: CheckEntry.
//
// Thread-safety: thread-compatible.
// Units:         nanoseconds since the beginning.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_WORK_QUEUE_H_
#define FORBEAR_EXAMPLES_LAB_WORK_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "examples/lab/fleet_plan.h"

namespace lab {

// An attempt that has arrived.
struct Job {
  uint32_t call = 0;
  uint32_t serial = 0;   // Which of the call's attempts.
  int64_t deadline = 0;  // When its caller stops waiting.
};

class WorkQueue {
 public:
  explicit WorkQueue(const FleetPlan& plan);

  // Returns the job that has no room, if one has not.
  absl::optional<Job> Add(const Job& job);
  absl::optional<Job> Take(int64_t now);

  void Clear() { jobs_.clear(); }
  void set_order(FleetOrder order) { order_ = order; }
  void set_drop(Drop drop) { drop_ = drop; }

 private:
  FleetOrder order_;
  Drop drop_;
  const absl::Duration cost_;
  const size_t most_;
  std::deque<Job> jobs_;  // By arrival.
};

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_WORK_QUEUE_H_
