// What a server counts of its handlers.
#include "examples/shop/tally.h"

#include <memory>

#include "examples/shop/pause.h"
#include "examples/shop/proto_time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/context/clock.h"

namespace shop {
namespace {

using ::testing::SizeIs;

Order OrderThatExpires(absl::Time expires, bool sampled) {
  Order order;
  order.set_id(7);
  order.set_sampled(sampled);
  ToProto(expires, order.mutable_expires());
  return order;
}

absl::Duration SumOfTenths(const Counts& counts) {
  absl::Duration sum;
  for (const Tenth& tenth : counts.tenths()) {
    sum += FromProto(tenth.wasted());
  }
  return sum;
}

class TallyTest : public ::testing::Test {
 protected:
  Tally tally_;
};

TEST_F(TallyTest, CountsWhatComesAfterTheDeadlineAsWasted) {
  const Order late = OrderThatExpires(forbear::SteadyNow() - absl::Seconds(5),
                                      /*sampled=*/false);
  const absl::Time before = forbear::SteadyNow();
  {
    Tally::Visit visit(&tally_, late, "waits");
    Pause(absl::Milliseconds(250));  // Over more than two tenths.
    visit.Ends(grpc::Status::OK);
  }
  const absl::Duration longest = forbear::SteadyNow() - before;
  const Counts counts = tally_.counts();
  EXPECT_EQ(counts.arrived(), 1);
  EXPECT_EQ(counts.entered_late(), 1);
  EXPECT_GE(FromProto(counts.wasted()), absl::Milliseconds(250));
  EXPECT_LE(FromProto(counts.wasted()), longest);
  EXPECT_EQ(SumOfTenths(counts), FromProto(counts.wasted()));
  for (const Tenth& tenth : counts.tenths()) {
    EXPECT_LE(FromProto(tenth.wasted()), absl::Milliseconds(100));
  }
}

TEST_F(TallyTest, CountsNothingAsWastedInTime) {
  const Order in_time = OrderThatExpires(forbear::SteadyNow() + absl::Hours(1),
                                         /*sampled=*/false);
  { Tally::Visit visit(&tally_, in_time, "answers"); }
  { Tally::Visit visit(&tally_, Order(), "has no deadline"); }
  const Counts counts = tally_.counts();
  EXPECT_EQ(counts.arrived(), 2);
  EXPECT_EQ(counts.entered_late(), 0);
  EXPECT_EQ(FromProto(counts.wasted()), absl::ZeroDuration());
  EXPECT_THAT(counts.visits(), SizeIs(0));
}

TEST_F(TallyTest, KeepsTheVisitsOfSampledOrders) {
  const Order sampled = OrderThatExpires(
      forbear::SteadyNow() - absl::Seconds(1), /*sampled=*/true);
  {
    Tally::Visit visit(&tally_, sampled, "fails");
    visit.Ends(grpc::Status(grpc::StatusCode::UNAVAILABLE, ""));
  }
  Tally::Visit open(&tally_, sampled, "goes on");
  const Counts counts = tally_.counts();
  ASSERT_THAT(counts.visits(), SizeIs(2));
  EXPECT_EQ(counts.visits(0).order_id(), 7);
  EXPECT_EQ(counts.visits(0).handler(), "fails");
  EXPECT_EQ(counts.visits(0).code(), 14);
  EXPECT_EQ(counts.visits(1).handler(), "goes on");
  EXPECT_EQ(counts.visits(1).code(), -1);
  EXPECT_GT(FromProto(counts.wasted()), absl::ZeroDuration());
}

TEST_F(TallyTest, LooksAtTheBudgetAsCallsArrive) {
  { Tally::Visit visit(&tally_, Order(), "before"); }
  EXPECT_FALSE(tally_.counts().tenths(0).has_budget());
  auto budget = std::make_shared<forbear::RetryBudget>(
      forbear::RetryBudgetOptions(), forbear::SteadyNow());
  tally_.Watch(budget);
  { Tally::Visit visit(&tally_, Order(), "after"); }
  const Counts counts = tally_.counts();
  EXPECT_TRUE(counts.tenths().rbegin()->has_budget());
  EXPECT_EQ(counts.tenths().rbegin()->budget_balance(), 10);
}

}  // namespace
}  // namespace shop
