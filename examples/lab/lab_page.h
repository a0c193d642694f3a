// The lab as a page: what its tables say, drawn.
//
//   page::WriteFile("lab.html", LabPage(report, nullptr));
//
// Thread-safety: a pure function.
// Units:         written beside each figure.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_LAB_PAGE_H_
#define FORBEAR_EXAMPLES_LAB_LAB_PAGE_H_

#include <string>

#include "examples/lab/fleet_report.h"
#include "examples/lab/report.h"

namespace lab {

// `fleet` may be null: then there is no part 6.
std::string LabPage(const Report& report, const FleetReport* fleet);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_LAB_PAGE_H_
