// What a course comes to, out of all that was counted.
#include "examples/storm/evidence.h"

#include "examples/shop/proto_time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace storm {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;

const absl::Time kStart = absl::UnixEpoch() + absl::Hours(1);

absl::Time At(int ms) { return kStart + absl::Milliseconds(ms); }

shop::PlacedOrder Placed(int64_t id, shop::OrderState state) {
  shop::PlacedOrder placed;
  placed.mutable_order()->set_id(id);
  placed.set_state(state);
  return placed;
}

shop::Charge ChargeOf(int64_t order) {
  shop::Charge charge;
  charge.set_order_id(order);
  return charge;
}

// Of routes: as many calls in each 100 ms.
shop::Counts Arrived(const std::vector<int>& tenths) {
  shop::Counts counts;
  shop::ToProto(kStart, counts.mutable_first_tenth());
  for (const int arrived : tenths) {
    counts.add_tenths()->set_arrived(arrived);
    counts.set_arrived(counts.arrived() + arrived);
  }
  return counts;
}

Evidence OfAPhase() {
  Evidence evidence;
  evidence.phases = {{kStart, 0}};
  evidence.end = At(1'000);
  return evidence;
}

TEST(EvidenceTest, CountsAttemptsAndOrdersInTheirPhases) {
  Evidence evidence = OfAPhase();
  evidence.phases.push_back({At(500), 3});
  evidence.orders = {{At(0), At(10), true},
                     {At(499), At(600), false, true},
                     {At(500), absl::InfiniteFuture(), false}};
  evidence.counts = {{"routes", Arrived({1, 2, 0, 0, 0, 7})}};
  const Course course = CourseOf(evidence);
  const Figures& figures = course.figures;
  EXPECT_EQ(figures.phases[kHealthy].AttemptsPerOrder(), 1.5);
  EXPECT_EQ(figures.phases[kSlow].AttemptsPerOrder(), 7);
  EXPECT_EQ(figures.busiest_tenth, 7);
  EXPECT_EQ(figures.orders, 3);
  EXPECT_EQ(figures.in_time, 2);
  EXPECT_EQ(figures.good, 1);
  EXPECT_EQ(figures.fell_back, 1);
  ASSERT_EQ(course.phases.size(), 2);
  EXPECT_EQ(course.phases[0].name, "healthy");
  EXPECT_EQ(course.phases[0].until, absl::Milliseconds(500));
  EXPECT_EQ(course.phases[1].until, absl::Milliseconds(1'000));
  EXPECT_EQ(course.moments.size(), 10);
}

TEST(EvidenceTest, AddsUpWhatAllServersSay) {
  Evidence evidence = OfAPhase();
  for (const char* const name : {"gateway", "payments", "payments"}) {
    shop::Counts counts;
    counts.set_entered_late(2);
    shop::ToProto(absl::Milliseconds(40), counts.mutable_wasted());
    evidence.counts.push_back({name, counts});
  }
  const Figures figures = CourseOf(evidence).figures;
  EXPECT_EQ(figures.entered_late, 6);
  EXPECT_EQ(figures.wasted, absl::Milliseconds(120));
}

TEST(EvidenceTest, TellsWhatTheShopKnowsOfPaymentsFromWhatIsTrue) {
  Evidence evidence = OfAPhase();
  evidence.placed = {
      Placed(1, shop::ASSIGNED),    // Charged once: as it should be.
      Placed(2, shop::ASSIGNED),    // Charged twice.
      Placed(3, shop::UNPAID),      // Charged all the same.
      Placed(4, shop::UNPAID),      // As it says.
      Placed(5, shop::PENDING),     // Nobody knows.
      Placed(6, shop::UNASSIGNED),  // Charged, and waits.
      Placed(7, shop::ASSIGNED),    // Not charged at all.
  };
  evidence.charges = {ChargeOf(1), ChargeOf(2), ChargeOf(2), ChargeOf(3),
                      ChargeOf(6)};
  const Figures figures = CourseOf(evidence).figures;
  EXPECT_EQ(figures.double_charges, 1);
  EXPECT_EQ(figures.pending, 3);
  EXPECT_EQ(figures.unassigned, 1);
}

TEST(EvidenceTest, ComparesTheBusiestMomentOfRecoveryWithTheMean) {
  Evidence evidence = OfAPhase();
  evidence.phases.assign(kRecovering + 1, {kStart, 0});
  evidence.phases[kRecovering] = {At(250), 0};
  evidence.phases.push_back({At(700), 0});
  // Whole moments of the phase: 300 to 600 ms.
  evidence.counts = {{"routes", Arrived({90, 90, 90, 2, 3, 7, 4, 90})}};
  EXPECT_EQ(CourseOf(evidence).figures.recovery_peak, 7 / 4.0);
}

TEST(EvidenceTest, DrawsASampledOrderAcrossTheServers) {
  Evidence evidence = OfAPhase();
  evidence.orders = {{At(0), At(1), true}, {At(100), At(5'200), true}};
  evidence.sampled = {1};
  shop::Counts gateway;
  shop::Counts routes;
  const auto visit = [](shop::Counts* counts, int64_t order, int code, int from,
                        int until) {
    shop::Visit& visit = *counts->add_visits();
    visit.set_order_id(order);
    visit.set_handler("handles it");
    visit.set_code(code);
    shop::ToProto(At(from), visit.mutable_from());
    shop::ToProto(At(until), visit.mutable_until());
  };
  visit(&gateway, 1, -1, 101, 900);
  visit(&gateway, 0, 0, 1, 2);
  visit(&routes, 1, 14, 103, 104);
  evidence.counts = {{"routes", routes}, {"gateway", gateway}};
  const Course course = CourseOf(evidence);
  ASSERT_EQ(course.orders.size(), 1);
  EXPECT_EQ(course.orders[0].order, "1");
  EXPECT_EQ(course.orders[0].outcome, "live estimate after 5100 ms, too late");
  const auto ms = [](int ms) { return absl::Milliseconds(ms); };
  EXPECT_THAT(
      course.orders[0].spans,
      ElementsAre(
          FieldsAre("customer", "waits for an answer", "gave up", ms(100),
                    ms(5'100)),
          FieldsAre("gateway", "handles it", "not ended", ms(101), ms(900)),
          FieldsAre("routes", "handles it", "UNAVAILABLE", ms(103), ms(104))));
}

}  // namespace
}  // namespace storm
