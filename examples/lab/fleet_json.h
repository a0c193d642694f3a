// Part 6 as JSON: the same figures as the tables', and the course of each row
// second by second.
//
//   json.Set("fleet", FleetJson(report));
//
// Thread-safety: a pure function.
// Units:         loads are shares of the capacity; names that end in _s are
//                seconds, null where it took longer than was watched.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_FLEET_JSON_H_
#define FORBEAR_EXAMPLES_LAB_FLEET_JSON_H_

#include "examples/lab/fleet_report.h"
#include "examples/lab/json.h"

namespace lab {

// All but "cost" is the same from run to run.
Json FleetJson(const FleetReport& report);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_FLEET_JSON_H_
