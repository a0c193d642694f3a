// The sampled orders of a course, across the servers.
//
//   course.orders = OrderLines({17, 120}, driver.orders(), *admin.Count(),
//                              start);
//
// Thread-safety: a pure function.
// Units:         instants of forbear::SteadyNow().
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_ORDER_LINES_H_
#define FORBEAR_EXAMPLES_STORM_ORDER_LINES_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "examples/storm/order_record.h"
#include "examples/storm/shop_counts.h"
#include "examples/storm/story.h"

namespace storm {

// `sampled`: their numbers among `orders`.
std::vector<OrderLine> OrderLines(const std::vector<int64_t>& sampled,
                                  const std::vector<OrderRecord>& orders,
                                  const ShopCounts& counts, absl::Time start);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_ORDER_LINES_H_
