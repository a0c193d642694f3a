// What a fleet does to a service that stood still, on a small scale.
#include "examples/lab/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "examples/lab/event_queue.h"
#include "examples/lab/fleet_figures.h"
#include "examples/lab/fleet_json.h"
#include "examples/lab/fleet_plan.h"
#include "examples/lab/fleet_report.h"
#include "examples/lab/fleet_tables.h"
#include "examples/lab/work_queue.h"
#include "interceptors/policy/backoff.h"

namespace lab {
namespace {

using forbear::Jitter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr absl::Duration kAtOnce = absl::ZeroDuration();

TEST(EventQueueTest, GivesTheEarliestAndOfEqualsTheFirst) {
  EventQueue<char> events;
  events.Add(20, 'c');
  events.Add(10, 'a');
  events.Add(20, 'd');
  events.Add(10, 'b');
  std::string order;
  while (!events.empty()) order += events.Take();
  EXPECT_EQ(order, "abcd");
  EXPECT_EQ(events.now(), 20);
  events.Add(5, 'x');  // Has passed: now.
  events.Take();
  EXPECT_EQ(events.now(), 20);
  EXPECT_EQ(events.added(), 5u);
}

TEST(EventQueueTest, ALineChangesNothingButTheSpeed) {
  EventQueue<char> events;
  events.AddInLine(20, 'c');
  events.Add(10, 'a');
  events.AddInLine(20, 'd');
  events.AddInLine(15, 'b');  // Out of line.
  events.Add(20, 'e');
  events.AddInLine(30, 'f');
  std::string order;
  while (!events.empty()) order += events.Take();
  EXPECT_EQ(order, "abcdef");
}

// A second of work, in pieces of 10 ms.
FleetPlan QueuePlan(FleetOrder order, Drop drop) {
  FleetPlan plan;
  plan.processes = 70;
  plan.order = order;
  plan.rule.drop = drop;
  plan.queue = absl::Milliseconds(30);
  return plan;
}

Job JobOf(uint32_t call, int64_t deadline_ms = 1'000) {
  Job job;
  job.call = call;
  job.deadline = deadline_ms * 1'000'000;
  return job;
}

std::vector<uint32_t> TakeAll(WorkQueue& queue, int64_t now_ms) {
  std::vector<uint32_t> calls;
  while (const auto job = queue.Take(now_ms * 1'000'000)) {
    calls.push_back(job->call);
  }
  return calls;
}

TEST(WorkQueueTest, ServingTheOldestRefusesWhoComesToAFullOne) {
  WorkQueue queue(QueuePlan(FleetOrder::kOldest, Drop::kNothing));
  for (uint32_t call = 1; call <= 3; ++call) {
    EXPECT_FALSE(queue.Add(JobOf(call)).has_value());
  }
  EXPECT_EQ(queue.Add(JobOf(4)).value().call, 4u);
  EXPECT_THAT(TakeAll(queue, 2'000), ElementsAre(1, 2, 3));
}

TEST(WorkQueueTest, ServingTheNewestRefusesTheOldest) {
  WorkQueue queue(QueuePlan(FleetOrder::kNewest, Drop::kNothing));
  for (uint32_t call = 1; call <= 3; ++call) queue.Add(JobOf(call));
  EXPECT_EQ(queue.Add(JobOf(4)).value().call, 1u);
  EXPECT_THAT(TakeAll(queue, 2'000), ElementsAre(4, 3, 2));
}

TEST(WorkQueueTest, DropsWhatItIsToldTo) {
  const auto taken_at = [](Drop drop, int64_t now_ms) {
    WorkQueue queue(QueuePlan(FleetOrder::kOldest, drop));
    queue.Add(JobOf(1, 100));
    queue.Add(JobOf(2, 109));
    queue.Add(JobOf(3, 110));
    return TakeAll(queue, now_ms);
  };
  EXPECT_THAT(taken_at(Drop::kNothing, 100), ElementsAre(1, 2, 3));
  EXPECT_THAT(taken_at(Drop::kExpired, 100), ElementsAre(2, 3));
  EXPECT_THAT(taken_at(Drop::kDoomed, 100), ElementsAre(3));
}

FleetPlan SmallPlan() {
  FleetPlan plan;
  plan.processes = 100;
  plan.after = absl::Seconds(80);
  return plan;
}

FleetFigures Outage(Jitter jitter, bool budget, Drop drop,
                    FleetOrder order = FleetOrder::kOldest) {
  FleetPlan plan = SmallPlan();
  plan.rule.jitter = jitter;
  plan.rule.budget = budget;
  plan.rule.drop = drop;
  plan.order = order;
  return RunFleet(plan);
}

TEST(FleetTest, AsksForItsLoadAndGetsItWhileAllIsWell) {
  FleetPlan plan = SmallPlan();
  plan.outage = absl::ZeroDuration();
  const FleetFigures figures = RunFleet(plan);
  EXPECT_EQ(figures.recovered, kAtOnce);
  EXPECT_EQ(figures.good_share, 1);
  EXPECT_EQ(figures.wasted_share, 0);
  int64_t offered = 0;
  for (const FleetSecond& second : figures.seconds) offered += second.offered;
  EXPECT_NEAR(static_cast<double>(offered), 9'000, 300);  // 3 deviations.
}

TEST(FleetTest, NaiveRetriesKeepTheOutageGoing) {
  const FleetFigures figures = Outage(Jitter::kNone, false, Drop::kNothing);
  EXPECT_EQ(figures.recovered, absl::nullopt);
  EXPECT_EQ(figures.good_share, 0);
  EXPECT_EQ(figures.wasted_share, 1);
  // Each call makes 4 attempts, to the end: 0.7 x 4 of the capacity.
  const double capacity = SmallPlan().Capacity();
  EXPECT_NEAR(figures.seconds.back().offered / capacity, 2.8, 0.4);
}

TEST(FleetTest, JitterAloneDoesNotEndIt) {
  EXPECT_EQ(Outage(Jitter::kFull, false, Drop::kNothing).recovered,
            absl::nullopt);
}

TEST(FleetTest, BudgetsLetTheQueueDrain) {
  const FleetFigures figures = Outage(Jitter::kFull, true, Drop::kNothing);
  ASSERT_NE(figures.recovered, absl::nullopt);
  EXPECT_GT(*figures.recovered, absl::Seconds(30));
  EXPECT_GT(figures.wasted_share, 0.5);
}

TEST(FleetTest, AFullQueueOfExpiredWorkIsGoneAtOnceIfItIsDropped) {
  EXPECT_EQ(Outage(Jitter::kNone, false, Drop::kExpired).recovered, kAtOnce);
  EXPECT_EQ(Outage(Jitter::kFull, true, Drop::kExpired).recovered, kAtOnce);
}

TEST(FleetTest, NothingIsWastedIfDoomedWorkIsDropped) {
  const FleetFigures figures = Outage(Jitter::kFull, true, Drop::kDoomed);
  EXPECT_EQ(figures.recovered, kAtOnce);
  EXPECT_EQ(figures.wasted_share, 0);
}

TEST(FleetTest, TheNewestFirstAreServedInTime) {
  EXPECT_EQ(Outage(Jitter::kNone, false, Drop::kNothing, FleetOrder::kNewest)
                .recovered,
            kAtOnce);
}

TEST(FleetTest, ALightLoadComesBackByItself) {
  FleetPlan plan = SmallPlan();
  plan.load = 0.2;  // Times 4 is less than 1.
  EXPECT_NE(RunFleet(plan).recovered, absl::nullopt);
}

TEST(FleetTest, ARemedyEndsIt) {
  FleetPlan plan = SmallPlan();
  plan.after = absl::Seconds(40);
  plan.remedy_at = absl::Seconds(10);
  plan.remedy = Remedy::kNothing;
  EXPECT_EQ(RunFleet(plan).recovered_by_remedy, absl::nullopt);
  for (const Remedy remedy :
       {Remedy::kEmptyQueue, Remedy::kNewestFirst, Remedy::kDropDoomed}) {
    plan.remedy = remedy;
    const FleetFigures figures = RunFleet(plan);
    ASSERT_NE(figures.recovered_by_remedy, absl::nullopt);
    EXPECT_LE(*figures.recovered_by_remedy, absl::Seconds(1));
    EXPECT_EQ(figures.recovered, plan.remedy_at + *figures.recovered_by_remedy);
  }
}

FleetReport SmallReport() {
  FleetReport report;
  report.plan = SmallPlan();
  report.plan.after = absl::Seconds(20);
  report.rows.push_back(
      {report.plan.rule, report.plan.order, RunFleet(report.plan)});
  report.cost.events = 1'000'000;
  report.cost.time = absl::Milliseconds(250);
  report.cost.memory_bytes = 9'000'000;
  report.studies.when.push_back({0.7, absl::Seconds(30),
                                 std::vector<Recovery>(8, absl::Seconds(17)),
                                 absl::Seconds(120)});
  report.studies.ends.push_back(
      {Remedy::kNoRetries, absl::nullopt, absl::Seconds(300)});
  report.studies.by_budget.push_back(
      {0.1, 10'000, {}, 7.36, absl::Seconds(50), absl::Seconds(120)});
  return report;
}

TEST(FleetTablesTest, ShowWhatWasFound) {
  const std::string tables = FleetTables(SmallReport());
  EXPECT_THAT(tables, HasSubstr("100 processes"));
  EXPECT_THAT(tables, HasSubstr("       0.0 %          > 20     100.0 %\n"));
  EXPECT_THAT(tables, HasSubstr("\nnaive      0.7"));
  EXPECT_THAT(tables, HasSubstr("1,000,000 events in 0.2 s: 4.0 million a "
                                "second; 9 MB"));
  EXPECT_THAT(tables, HasSubstr(" 0.7    30s      17      17"));
  EXPECT_THAT(tables, HasSubstr("retries are turned off                        "
                                "         > 300\n"));
}

TEST(FleetJsonTest, IsTheSameFromRunToRun) {
  const std::string json = FleetJson(SmallReport()).text();
  EXPECT_EQ(json, FleetJson(SmallReport()).text());
  EXPECT_THAT(json, HasSubstr("\"recovered_s\": null"));
  EXPECT_THAT(json, HasSubstr("\"events_per_second\": 4000000"));
  EXPECT_THAT(json, HasSubstr("\"retries are turned off\": null"));
}

}  // namespace
}  // namespace lab
