// Part 6 as tables.
//
//   std::fputs(FleetTables(report).c_str(), stdout);
//
// Thread-safety: pure functions.
// Units:         written beside each figure.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_FLEET_TABLES_H_
#define FORBEAR_EXAMPLES_LAB_FLEET_TABLES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "examples/lab/fleet_plan.h"
#include "examples/lab/fleet_report.h"

namespace lab {

std::string FleetTables(const FleetReport& report);

// Such as "expired work is dropped".
absl::string_view RemedyName(Remedy remedy);
absl::string_view OrderName(FleetOrder order);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_FLEET_TABLES_H_
