// What was counted in each 100 ms of a course.
#include "examples/storm/moments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "examples/shop/proto_time.h"

namespace storm {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;

const absl::Time kStart = absl::UnixEpoch() + absl::Seconds(100);

absl::Time At(int ms) { return kStart + absl::Milliseconds(ms); }

// Offered, attempts and good, by moment.
std::vector<std::tuple<int, int, int>> Counted(
    const std::vector<Moment>& moments) {
  std::vector<std::tuple<int, int, int>> counted;
  for (const Moment& moment : moments) {
    counted.emplace_back(moment.offered, moment.attempts, moment.good);
  }
  return counted;
}

TEST(MomentsTest, CountAnOrderWhereItWasOffered) {
  const std::vector<OrderRecord> orders = {
      {At(0), At(5'000), true},   // In time, if only just.
      {At(99), At(100), false},   // From the cache.
      {At(100), At(5'101), true}  // Too late.
  };
  const auto moments = MomentsOf(orders, {}, kStart, At(250));
  EXPECT_THAT(Counted(moments),
              ElementsAre(FieldsAre(2, 0, 1), FieldsAre(1, 0, 0)));
  EXPECT_EQ(moments[1].at, absl::Milliseconds(100));
  EXPECT_EQ(moments[1].budget_balance, absl::nullopt);
  EXPECT_EQ(moments[1].wasted, absl::nullopt);
}

// Middles: -90, 10, 110, 210, 310.
shop::Counts Tenths() {
  shop::Counts counts;
  shop::ToProto(At(-140), counts.mutable_first_tenth());
  for (const int arrived : {9, 1, 2, 4, 9}) {
    shop::Tenth& tenth = *counts.add_tenths();
    tenth.set_arrived(arrived);
    shop::ToProto(absl::Milliseconds(arrived), tenth.mutable_wasted());
  }
  return counts;
}

TEST(MomentsTest, TakeTheTenthsOfRoutesByTheirMiddle) {
  const ShopCounts counts = {{"dispatch", Tenths()}, {"routes", Tenths()}};
  EXPECT_THAT(
      Counted(MomentsOf({}, counts, kStart, At(300))),
      ElementsAre(FieldsAre(0, 1, 0), FieldsAre(0, 2, 0), FieldsAre(0, 4, 0)));
}

TEST(MomentsTest, AddUpWhatAllServersDidForNobody) {
  const ShopCounts counts = {{"payments", Tenths()}, {"payments", Tenths()}};
  std::vector<absl::optional<absl::Duration>> wasted;
  for (const Moment& moment : MomentsOf({}, counts, kStart, At(300))) {
    wasted.push_back(moment.wasted);
  }
  EXPECT_THAT(wasted, ElementsAre(absl::Milliseconds(2), absl::Milliseconds(4),
                                  absl::Milliseconds(8)));
}

TEST(MomentsTest, LeaveABudgetAsItWasLastSeen) {
  shop::Counts dispatch = Tenths();
  for (const int i : {2, 3}) {
    dispatch.mutable_tenths(i)->set_has_budget(true);
    dispatch.mutable_tenths(i)->set_budget_balance(i + 0.5);
  }
  std::vector<absl::optional<double>> balances;
  for (const Moment& moment :
       MomentsOf({}, {{"dispatch", dispatch}}, kStart, At(500))) {
    balances.push_back(moment.budget_balance);
  }
  EXPECT_THAT(balances, ElementsAre(absl::nullopt, 2.5, 3.5, 3.5, 3.5));
}

TEST(MomentsTest, LeaveOutWhatIsNotOfTheCourse) {
  const std::vector<OrderRecord> orders = {{At(-1), At(0), true},
                                           {At(200), At(201), true}};
  EXPECT_THAT(Counted(MomentsOf(orders, {}, kStart, At(200))),
              ElementsAre(FieldsAre(0, 0, 0), FieldsAre(0, 0, 0)));
}

}  // namespace
}  // namespace storm
