#include "examples/lab/work_queue.h"

#include "interceptors/server/entry_check.h"

namespace lab {

WorkQueue::WorkQueue(const FleetPlan& plan)
    : order_(plan.order),
      drop_(plan.rule.drop),
      cost_(plan.Cost()),
      most_(plan.queue / plan.Cost()) {}

absl::optional<Job> WorkQueue::Add(const Job& job) {
  if (jobs_.size() < most_) {
    jobs_.push_back(job);
    return absl::nullopt;
  }
  if (order_ == FleetOrder::kOldest) return job;
  const Job oldest = jobs_.front();
  jobs_.pop_front();
  jobs_.push_back(job);
  return oldest;
}

absl::optional<Job> WorkQueue::Take(int64_t now) {
  while (!jobs_.empty()) {
    const bool oldest = order_ == FleetOrder::kOldest;
    const Job job = oldest ? jobs_.front() : jobs_.back();
    oldest ? jobs_.pop_front() : jobs_.pop_back();
    if (drop_ == Drop::kNothing) return job;
    const absl::Duration minimum =
        drop_ == Drop::kDoomed ? cost_ : absl::ZeroDuration();
    const absl::Duration left = absl::Nanoseconds(job.deadline - now);
    if (!forbear::CheckEntry(left, minimum)) return job;
  }
  return absl::nullopt;
}

}  // namespace lab
