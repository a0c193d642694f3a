// A course cut into moments, out of what its customers and routes counted.
//
//   course.moments = MomentsOf(driver.orders(), *admin.Routes(), start, end);
//
// Thread-safety: a pure function.
// Units:         instants of forbear::SteadyNow().
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_MOMENTS_H_
#define FORBEAR_EXAMPLES_STORM_MOMENTS_H_

#include <vector>

#include "absl/time/time.h"
#include "examples/storm/order_record.h"
#include "examples/storm/story.h"
#include "proto/shop_admin.pb.h"

namespace storm {

// From `start` until `end`, the last moment a whole one. What came before or
// came later is left out. Routes counts by tenths of a second of its own; each
// goes to the moment in which its middle lies.
std::vector<Moment> MomentsOf(const std::vector<OrderRecord>& orders,
                              const shop::Counts& routes, absl::Time start,
                              absl::Time end);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_MOMENTS_H_
