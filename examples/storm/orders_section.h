// A few orders of a storm across the services, as a section of its page.
//
//   frame.sections.push_back(OrdersSection({&bare, &forbear}));
//
// Thread-safety: a pure function.
// Units:         ms since the order was placed.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_ORDERS_SECTION_H_
#define FORBEAR_EXAMPLES_STORM_ORDERS_SECTION_H_

#include <vector>

#include "examples/page/frame.h"
#include "examples/storm/story.h"

namespace storm {

// The n-th orders of all courses stand side by side, on the same scale.
page::Section OrdersSection(const std::vector<const Course*>& courses);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_ORDERS_SECTION_H_
