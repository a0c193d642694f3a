// The table says what was counted, side by side.
#include "examples/storm/table.h"

#include "examples/storm/plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace storm {
namespace {

using ::testing::ContainsRegex;

TEST(TableTest, ShowsEachFigureOfBothStorms) {
  Figures by_hand;
  by_hand.phases[kFailing] = {200, 10'000};
  by_hand.orders = 800;
  by_hand.in_time = 400;
  by_hand.good = 100;
  by_hand.busiest_tenth = 370;
  by_hand.entered_late = 79;
  Figures forbear = by_hand;
  forbear.phases[kFailing] = {200, 220};
  forbear.recovery = absl::Milliseconds(300);
  const std::string table = Table(by_hand, forbear);
  EXPECT_THAT(table, ContainsRegex("58 orders per second"));
  EXPECT_THAT(table, ContainsRegex("\n3s healthy, 4s with"));
  EXPECT_THAT(table, ContainsRegex("failing fast +50\\.00 +1\\.10\n"));
  EXPECT_THAT(table, ContainsRegex("healthy \\(1\\) +0\\.00 +0\\.00\n"));
  EXPECT_THAT(table, ContainsRegex("100 ms +370 +370\n"));
  EXPECT_THAT(table, ContainsRegex("within 5 s \\(2\\) +50\\.0 % +50\\.0 %\n"));
  EXPECT_THAT(table, ContainsRegex("live estimate +12\\.5 % +12\\.5 %\n"));
  EXPECT_THAT(table, ContainsRegex("deadline \\(3\\) +79 +79\n"));
  EXPECT_THAT(table, ContainsRegex("recovered \\(4\\) +not in 10 +0\\.3\n"));
}

}  // namespace
}  // namespace storm
