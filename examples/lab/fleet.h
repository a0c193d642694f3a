// Part 6, a fleet: what no one machine can show.
//
// Thousands of processes, each with its own budget, call one service through
// the engine of production. The service stands still for a while. Whether the
// fleet comes back when the service does is what the figures tell.
//
//   const FleetFigures figures = RunFleet(plan);
//   figures.recovered;   // After the outage's end; nothing: not in time.
//
// Thread-safety: pure functions.
// Units:         work is counted in pieces: what one attempt costs the service.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_FLEET_H_
#define FORBEAR_EXAMPLES_LAB_FLEET_H_

#include "examples/lab/fleet_figures.h"
#include "examples/lab/fleet_plan.h"

namespace lab {

FleetFigures RunFleet(const FleetPlan& plan);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_FLEET_H_
