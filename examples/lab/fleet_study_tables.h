// The smaller fleets of part 6, as tables of the lab's page.
//
//   section.body += StudyTables(report.studies);
//
// Thread-safety: pure functions.
// Units:         seconds, unless a heading says otherwise.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_FLEET_STUDY_TABLES_H_
#define FORBEAR_EXAMPLES_LAB_FLEET_STUDY_TABLES_H_

#include <string>

#include "absl/time/time.h"
#include "examples/lab/fleet_figures.h"
#include "examples/lab/fleet_report.h"

namespace lab {

std::string StudyTables(const FleetStudies& studies);

// "56", or "> 120" where it was not seen.
std::string SecondsToRecover(const Recovery& recovered, absl::Duration watched);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_FLEET_STUDY_TABLES_H_
