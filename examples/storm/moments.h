// A course cut into moments, out of what its customers and servers counted.
//
//   course.moments = MomentsOf(driver.orders(), *admin.Count(), start, end);
//
// Thread-safety: a pure function.
// Units:         instants of forbear::SteadyNow().
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_MOMENTS_H_
#define FORBEAR_EXAMPLES_STORM_MOMENTS_H_

#include <vector>

#include "absl/time/time.h"
#include "examples/storm/order_record.h"
#include "examples/storm/shop_counts.h"
#include "examples/storm/story.h"

namespace storm {

// From `start` until `end`, the last moment a whole one. What came before or
// came later is left out. Servers count by tenths of a second of their own;
// each goes to the moment in which its middle lies. A budget stays as it was
// last seen.
std::vector<Moment> MomentsOf(const std::vector<OrderRecord>& orders,
                              const ShopCounts& counts, absl::Time start,
                              absl::Time end);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_MOMENTS_H_
