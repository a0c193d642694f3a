// Part 6 of the lab's page: the fleet, over time and in numbers.
//
//   frame.sections.push_back(FleetSection(report));
//
// Thread-safety: pure functions.
// Units:         written beside each figure.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_FLEET_SECTION_H_
#define FORBEAR_EXAMPLES_LAB_FLEET_SECTION_H_

#include "examples/lab/fleet_report.h"
#include "examples/page/frame.h"

namespace lab {

page::Section FleetSection(const FleetReport& report);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_FLEET_SECTION_H_
