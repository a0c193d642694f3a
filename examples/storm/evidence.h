// All that is known of a course, and what that says.
//
//   Evidence evidence;
//   evidence.orders = driver.orders(); ...
//   Course course = CourseOf(evidence);
//
// Thread-safety: pure functions over values.
// Units:         instants of forbear::SteadyNow().
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_EVIDENCE_H_
#define FORBEAR_EXAMPLES_STORM_EVIDENCE_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "examples/storm/order_record.h"
#include "examples/storm/shop_counts.h"
#include "examples/storm/story.h"
#include "proto/shop.pb.h"

namespace storm {

// A phase that has begun.
struct PhaseStart {
  absl::Time began;
  int64_t arrived = 0;  // Attempts that had reached routes by then.
};

struct Evidence {
  std::vector<PhaseStart> phases;  // As many as have begun, at least one.
  absl::Time end;                  // Of the last of them, or now.
  std::vector<OrderRecord> orders;
  std::vector<int64_t> sampled;  // Their numbers among the orders.
  ShopCounts counts;
  std::vector<shop::PlacedOrder> placed;  // As gateway has them.
  std::vector<shop::Charge> charges;      // As the ledger has them.
};

// Without its names.
Course CourseOf(const Evidence& evidence);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_EVIDENCE_H_
