#include "examples/lab/fleet_report.h"

#include <sys/resource.h>

#include "absl/time/time.h"
#include "examples/lab/fleet.h"
#include "interceptors/context/clock.h"

namespace lab {
namespace {

constexpr double kLoads[] = {0.2, 0.3, 0.5, 0.7, 0.9};
constexpr absl::Duration kOutages[] = {absl::Milliseconds(900),
                                       absl::Seconds(2), absl::Seconds(5)};
constexpr Remedy kRemedies[] = {
    Remedy::kNothing,     Remedy::kHalfTheLoad, Remedy::kAFifthOfTheLoad,
    Remedy::kBudget,      Remedy::kNoRetries,   Remedy::kEmptyQueue,
    Remedy::kNewestFirst, Remedy::kDropExpired, Remedy::kDropDoomed};

constexpr absl::Duration kWatchedLong = absl::Seconds(360);

struct QuietPlan {
  int processes;
  double ceiling;
  double floor;
};
constexpr QuietPlan kQuietPlans[] = {
    {100, 10, 0.1}, {1'000, 10, 0.1}, {10'000, 10, 0.1}, {10'000, 1, 0.01}};

FleetPlan SmallFleet(uint64_t seed) {
  FleetPlan plan;
  plan.seed = seed;
  plan.processes = 1'000;
  return plan;
}

FleetStudy Study(FleetPlan plan) {
  FleetStudy study;
  study.load = plan.load;
  study.outage = plan.outage;
  study.watched = plan.after;
  for (const FleetRule& rule : kFleetRules) {
    plan.rule = rule;
    study.recovered.push_back(RunFleet(plan).recovered);
  }
  return study;
}

std::vector<FleetRow> RunRows(FleetPlan plan) {
  std::vector<FleetRow> rows;
  for (const FleetOrder order : {FleetOrder::kOldest, FleetOrder::kNewest}) {
    for (const FleetRule& rule : kFleetRules) {
      plan.order = order;
      plan.rule = rule;
      rows.push_back({rule, order, RunFleet(plan)});
    }
  }
  return rows;
}

FleetStudies RunStudies(uint64_t seed) {
  FleetStudies studies;
  for (const double load : kLoads) {
    FleetPlan plan = SmallFleet(seed);
    plan.load = load;
    studies.when.push_back(Study(plan));
  }
  for (const absl::Duration outage : kOutages) {
    FleetPlan plan = SmallFleet(seed);
    plan.outage = outage;
    studies.when.push_back(Study(plan));
  }
  for (const Remedy remedy : kRemedies) {
    FleetPlan plan = SmallFleet(seed);
    plan.after = kWatchedLong;
    plan.remedy = remedy;
    studies.ends.push_back({remedy, RunFleet(plan).recovered_by_remedy,
                            plan.after - plan.remedy_at});
  }
  for (const QuietPlan& quiet : kQuietPlans) {
    FleetPlan plan = SmallFleet(seed);
    plan.rule = kJitterAndBudget;
    plan.processes = quiet.processes;
    plan.calls_per_second = 1'000.0 / quiet.processes;
    plan.budget.ceiling = quiet.ceiling;
    plan.budget.floor = quiet.floor;
    const FleetFigures figures = RunFleet(plan);
    studies.by_budget.push_back({plan.calls_per_second, plan.processes,
                                 plan.budget, figures.peak, figures.recovered,
                                 plan.after});
  }
  return studies;
}

}  // namespace

FleetReport MakeFleetReport(const FleetPlan& plan) {
  FleetReport report;
  report.plan = plan;
  const absl::Time start = forbear::SteadyNow();
  report.rows = RunRows(plan);
  report.cost.time = forbear::SteadyNow() - start;
  for (const FleetRow& row : report.rows) {
    report.cost.events += row.figures.events;
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  report.cost.memory_bytes = usage.ru_maxrss * int64_t{1024};
  report.studies = RunStudies(plan.seed);
  return report;
}

}  // namespace lab
