// When to do what nobody waits for, so that it never comes all at once.
//
// Retries are not the only herd. A fleet that was deployed together runs its
// once-a-minute jobs together; a sweep at two in the morning puts every failed
// order back at once, and brings down again what had just come back.
//
//   due = JitteredPeriod(due, absl::Minutes(1), bitgen);   // The next run.
//
//   for (const Batch& batch : SpreadBatches(orders.size(), /*batch=*/20,
//                                           absl::Minutes(5), bitgen)) {
//     AddTimer(now + batch.after, [=] { Enqueue(batch.begin, batch.end); });
//   }
//
// The period is drawn from [1/2, 3/2] of itself, each time: the rule of Floyd
// and Jacobson, "The Synchronization of Periodic Routing Messages" (1994). A
// phase drawn once would spread as well, until something (a lock, a shared
// outage) has lined the jobs up again; then it keeps them so.
//
// Thread-safety: pure functions; `chance` as it is.
// Units:         absl::Time and absl::Duration, drawn in whole microseconds.
// Errors:        none. A period or a window below 0 counts as 0, a batch below
//                1 as 1.
#ifndef FORBEAR_INTERCEPTORS_POLICY_SPREAD_H_
#define FORBEAR_INTERCEPTORS_POLICY_SPREAD_H_

#include <cstddef>
#include <vector>

#include "absl/random/bit_gen_ref.h"
#include "absl/time/time.h"

namespace forbear {

// When a periodic job is due next, after it was due at `last`. Counted from
// then and not from when it ended, the runs keep the period in the mean. The
// result may have passed, if the job was held up: it is due at once.
absl::Time JitteredPeriod(absl::Time last, absl::Duration period,
                          absl::BitGenRef chance);

// Items [begin, end), to be done `after` the beginning of the window.
struct Batch {
  absl::Duration after;
  size_t begin = 0;
  size_t end = 0;
};

// Cuts `items` into batches of at most `batch`, in their order, and gives each
// an instant of its own part of the window.
std::vector<Batch> SpreadBatches(size_t items, size_t batch,
                                 absl::Duration window, absl::BitGenRef chance);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_SPREAD_H_
