// All that part 6 finds.
//
//   FleetPlan plan;
//   plan.processes = 10'000;
//   const FleetReport report = MakeFleetReport(plan);
//
// Thread-safety: reads the clock, for the cost; else a pure function.
// Units:         as those of the fleet.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_FLEET_REPORT_H_
#define FORBEAR_EXAMPLES_LAB_FLEET_REPORT_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "examples/lab/fleet_figures.h"
#include "examples/lab/fleet_plan.h"
#include "interceptors/policy/retry_budget.h"

namespace lab {

// The outage under one rule and one order.
struct FleetRow {
  FleetRule rule;
  FleetOrder order = FleetOrder::kOldest;
  FleetFigures figures;
};

// A row of a study: seconds to recover under each of kFleetRules.
struct FleetStudy {
  double load = 0;
  absl::Duration outage;
  std::vector<Recovery> recovered;
  absl::Duration watched;
};

struct FleetRemedy {
  Remedy remedy = Remedy::kNothing;
  Recovery recovered;  // From the remedy on.
  absl::Duration watched;
};

struct FleetQuiet {
  double calls_per_second = 0;  // Of a process.
  int processes = 0;
  forbear::RetryBudgetOptions budget;
  double peak = 0;
  Recovery recovered;
  absl::Duration watched;
};

// Of smaller fleets, the oldest first: 1,000 calls a second in all.
struct FleetStudies {
  std::vector<FleetStudy> when;       // By load, and by the outage's length.
  std::vector<FleetRemedy> ends;      // Naive retries, and then?
  std::vector<FleetQuiet> by_budget;  // Jitter and budget.
};

FleetStudies RunFleetStudies(uint64_t seed);

// What the rows took: the one figure here that differs from run to run.
struct FleetCost {
  uint64_t events = 0;
  absl::Duration time;
  int64_t memory_bytes = 0;  // The most that the program ever held.
};

struct FleetReport {
  FleetPlan plan;
  std::vector<FleetRow> rows;
  FleetCost cost;
  FleetStudies studies;
};

// The rows are the plan's outage under every rule, the oldest served first and
// the newest; rule and order of the plan are not looked at.

FleetReport MakeFleetReport(const FleetPlan& plan);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_FLEET_REPORT_H_
