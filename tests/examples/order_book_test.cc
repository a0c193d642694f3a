// What the shop knows of its orders.
#include "examples/gateway/order_book.h"

#include <vector>

#include "examples/shop/pause.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shop {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Order OrderOf(int64_t id) {
  Order order;
  order.set_id(id);
  order.set_zone("north");
  return order;
}

std::vector<int64_t> Ids(const ListOrdersReply& reply) {
  std::vector<int64_t> ids;
  for (const PlacedOrder& placed : reply.orders()) {
    ids.push_back(placed.order().id());
  }
  return ids;
}

class OrderBookTest : public ::testing::Test {
 protected:
  std::vector<int64_t> InState(OrderState state) {
    return Ids(book_.List({state}, absl::InfiniteDuration()));
  }

  OrderBook book_;
};

TEST_F(OrderBookTest, TakesAnOrderOnce) {
  EXPECT_EQ(book_.Take(OrderOf(7)).state(), PLACED);
  book_.Set(7, ASSIGNED);
  DeliveryEstimate estimate;
  estimate.set_source(DeliveryEstimate::LIVE);
  book_.SetEstimate(7, estimate);
  const PlacedOrder again = book_.Take(OrderOf(7));
  EXPECT_EQ(again.state(), ASSIGNED);
  EXPECT_EQ(again.estimate().source(), DeliveryEstimate::LIVE);
  EXPECT_EQ(book_.Find(7)->order().zone(), "north");
}

TEST_F(OrderBookTest, LeavesAnAssignedOrderSo) {
  book_.Take(OrderOf(7));
  book_.Set(7, ASSIGNED);
  book_.Set(7, UNASSIGNED);
  EXPECT_EQ(book_.Find(7)->state(), ASSIGNED);
}

TEST_F(OrderBookTest, CountsTheKeysThatWereClosed) {
  book_.Take(OrderOf(7));
  book_.Set(7, PENDING);
  book_.CloseKey(7);
  EXPECT_EQ(book_.Find(7)->state(), UNPAID);
  EXPECT_EQ(book_.Take(OrderOf(7)).closed_keys(), 1);
}

TEST_F(OrderBookTest, ListsOrdersByTheirState) {
  for (const int64_t id : {3, 1, 2}) book_.Take(OrderOf(id));
  book_.Set(2, UNASSIGNED);
  EXPECT_THAT(InState(PLACED), ElementsAre(1, 3));
  EXPECT_THAT(InState(UNASSIGNED), ElementsAre(2));
  EXPECT_THAT(Ids(book_.List({}, absl::InfiniteDuration())),
              ElementsAre(1, 2, 3));
}

TEST_F(OrderBookTest, ListsWhatWasPlacedWithinATime) {
  book_.Take(OrderOf(1));
  EXPECT_THAT(Ids(book_.List({}, absl::Hours(1))), ElementsAre(1));
  Pause(absl::Milliseconds(2));
  EXPECT_THAT(Ids(book_.List({}, absl::Milliseconds(1))), IsEmpty());
}

TEST_F(OrderBookTest, KnowsNothingOfWhatItNeverTook) {
  book_.Set(1, ASSIGNED);
  book_.SetEstimate(1, DeliveryEstimate());
  EXPECT_EQ(book_.Find(1), absl::nullopt);
  EXPECT_THAT(Ids(book_.List({}, absl::InfiniteDuration())), IsEmpty());
}

}  // namespace
}  // namespace shop
