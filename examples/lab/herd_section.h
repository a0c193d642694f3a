// Part 1 of the lab's page: the herd.
//
//   frame.sections.push_back(HerdSection(report));
//
// Thread-safety: pure functions.
// Units:         written beside each figure.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_HERD_SECTION_H_
#define FORBEAR_EXAMPLES_LAB_HERD_SECTION_H_

#include "examples/lab/report.h"
#include "examples/page/frame.h"

namespace lab {

page::Section HerdSection(const Report& report);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_HERD_SECTION_H_
