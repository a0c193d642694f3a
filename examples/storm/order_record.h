// What became of an order, and what that says about a storm.
//
//   figures.in_time = CountIf(orders, AnsweredInTime);
//   absl::optional<absl::Duration> recovery = RecoveredAfter(orders, end, now);
//
// Thread-safety: pure functions.
// Units:         instants of forbear::SteadyNow().
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_ORDER_RECORD_H_
#define FORBEAR_EXAMPLES_STORM_ORDER_RECORD_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"

namespace storm {

// How long a customer waits.
constexpr absl::Duration kPatience = absl::Seconds(5);

struct OrderRecord {
  absl::Time placed;
  // Infinite until it is, and for ever where it failed.
  absl::Time answered = absl::InfiniteFuture();
  bool live = false;         // With a live estimate,
  bool cached = false;       // or with the fallback. Neither: it is pending.
  std::string failure = {};  // Why, at last; empty if it did not fail.
};

bool AnsweredInTime(const OrderRecord& order);
// In time, and with a live estimate.
bool IsGood(const OrderRecord& order);
// In time, and with the fallback.
bool FellBack(const OrderRecord& order);

// Orders placed from `from` on and before `to`.
int PlacedBetween(const std::vector<OrderRecord>& orders, absl::Time from,
                  absl::Time to);

// The time from the end of the outage to the start of the first second of which
// at least 95 % of the orders are good, and likewise of every second that
// starts within 2 s of it. Seconds start every 100 ms. None if that has not
// been seen by `now`. An order counts where it was placed.
absl::optional<absl::Duration> RecoveredAfter(
    const std::vector<OrderRecord>& orders, absl::Time end_of_outage,
    absl::Time now);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_ORDER_RECORD_H_
