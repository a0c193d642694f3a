// What counts as in time, as good, and as recovered.
#include "examples/storm/order_record.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace storm {
namespace {

using ::testing::Optional;

const absl::Time kEnd = absl::UnixEpoch() + absl::Hours(1);

OrderRecord Order(absl::Time placed, absl::Duration wait, bool live) {
  return {placed, placed + wait, live};
}

// Ten orders a second for `length`, each answered live after 1 ms.
std::vector<OrderRecord> Good(absl::Time from, absl::Duration length) {
  std::vector<OrderRecord> orders;
  for (absl::Time at = from; at < from + length;
       at += absl::Milliseconds(100)) {
    orders.push_back(Order(at, absl::Milliseconds(1), /*live=*/true));
  }
  return orders;
}

TEST(OrderRecordTest, IsGoodWhenItIsInTimeAndLive) {
  const OrderRecord good = Order(kEnd, kPatience, /*live=*/true);
  EXPECT_TRUE(AnsweredInTime(good));
  EXPECT_TRUE(IsGood(good));
  const OrderRecord cached = Order(kEnd, kPatience, /*live=*/false);
  EXPECT_TRUE(AnsweredInTime(cached));
  EXPECT_FALSE(IsGood(cached));
  const OrderRecord late =
      Order(kEnd, kPatience + absl::Nanoseconds(1), /*live=*/true);
  EXPECT_FALSE(AnsweredInTime(late));
  EXPECT_FALSE(IsGood(late));
}

TEST(OrderRecordTest, IsNeitherUntilItIsAnswered) {
  OrderRecord open;
  open.placed = kEnd;
  EXPECT_FALSE(AnsweredInTime(open));
  EXPECT_FALSE(IsGood(open));
}

TEST(PlacedBetweenTest, CountsAnOrderInThePhaseThatBeginsWithIt) {
  const auto orders = Good(kEnd, absl::Seconds(2));
  const absl::Time middle = kEnd + absl::Seconds(1);
  EXPECT_EQ(PlacedBetween(orders, kEnd, middle), 10);
  EXPECT_EQ(PlacedBetween(orders, middle, absl::InfiniteFuture()), 10);
  EXPECT_EQ(PlacedBetween(orders, kEnd - absl::Seconds(9), kEnd), 0);
}

TEST(RecoveredAfterTest, IsAtOnceWhereEveryOrderIsGood) {
  const auto orders = Good(kEnd, absl::Seconds(4));
  EXPECT_THAT(RecoveredAfter(orders, kEnd, kEnd + absl::Seconds(4)),
              Optional(absl::ZeroDuration()));
}

TEST(RecoveredAfterTest, IsNotKnownBeforeItHasStayedSo) {
  const auto orders = Good(kEnd, absl::Seconds(4));
  EXPECT_EQ(RecoveredAfter(orders, kEnd, kEnd + absl::Milliseconds(2900)),
            absl::nullopt);
  EXPECT_THAT(RecoveredAfter(orders, kEnd, kEnd + absl::Milliseconds(3000)),
              Optional(absl::ZeroDuration()));
}

TEST(RecoveredAfterTest, StartsOverAfterABadSecond) {
  auto orders = Good(kEnd, absl::Seconds(6));
  orders[15].live = false;  // At 1.5 s: one of ten in each second it is in.
  EXPECT_THAT(RecoveredAfter(orders, kEnd, kEnd + absl::Seconds(6)),
              Optional(absl::Milliseconds(1600)));
}

TEST(RecoveredAfterTest, BearsOneBadOrderInTwenty) {
  auto orders = Good(kEnd, absl::Seconds(4));
  const auto more = Good(kEnd + absl::Milliseconds(50),
                         absl::Seconds(4));  // Twenty a second.
  orders.insert(orders.end(), more.begin(), more.end());
  orders[15].live = false;
  EXPECT_THAT(RecoveredAfter(orders, kEnd, kEnd + absl::Seconds(4)),
              Optional(absl::ZeroDuration()));
}

TEST(RecoveredAfterTest, HasNoUseForASecondWithoutOrders) {
  const auto orders = Good(kEnd + absl::Seconds(2), absl::Seconds(4));
  // The first second with an order in it starts 0.9 s before that order.
  EXPECT_THAT(RecoveredAfter(orders, kEnd, kEnd + absl::Seconds(6)),
              Optional(absl::Milliseconds(1100)));
  EXPECT_EQ(RecoveredAfter({}, kEnd, kEnd + absl::Seconds(9)), absl::nullopt);
}

TEST(RecoveredAfterTest, DoesNotLookAtOrdersOfTheOutage) {
  auto orders = Good(kEnd - absl::Seconds(2), absl::Seconds(6));
  for (int i = 0; i < 20; ++i) orders[i].live = false;
  EXPECT_THAT(RecoveredAfter(orders, kEnd, kEnd + absl::Seconds(4)),
              Optional(absl::ZeroDuration()));
}

}  // namespace
}  // namespace storm
