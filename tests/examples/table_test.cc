// The table says what was counted.
#include "examples/storm/table.h"

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "examples/storm/plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace storm {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;

Story TwoCourses() {
  Story story;
  story.set_up = SetUp();
  story.courses.resize(2);
  story.courses[0].name = "bare";
  Figures& bare = story.courses[0].figures;
  bare.phases[kFailing] = {200, 10'000};
  bare.orders = 800;
  bare.in_time = 400;
  bare.good = 100;
  bare.fell_back = 299;
  bare.busiest_tenth = 370;
  bare.entered_late = 79;
  bare.wasted = absl::Milliseconds(31'700);
  bare.recovery_peak = 1.96;
  bare.double_charges = 4;
  bare.pending = 2;
  bare.unassigned = 123;
  story.courses[1].name = "forbear";
  Figures& forbear = story.courses[1].figures;
  forbear = bare;
  forbear.phases[kFailing] = {200, 220};
  forbear.in_time = 800;
  forbear.recovery = absl::Milliseconds(300);
  forbear.double_charges = 0;
  return story;
}

TEST(TableTest, ShowsEachFigureOfTwoCoursesSideBySide) {
  const std::string table = Table(TwoCourses());
  EXPECT_THAT(table, ContainsRegex("58 orders\nper second"));
  EXPECT_THAT(table, ContainsRegex("  bare   forbear\n"));
  EXPECT_THAT(table, ContainsRegex("failing fast +50\\.00 +1\\.10\n"));
  EXPECT_THAT(table, ContainsRegex("healthy \\(1\\) +0\\.00 +0\\.00\n"));
  EXPECT_THAT(table, ContainsRegex("100 ms +370 +370\n"));
  EXPECT_THAT(table,
              ContainsRegex("within 5 s \\(2\\) +50\\.0 % +100\\.0 %\n"));
  EXPECT_THAT(table, ContainsRegex("live estimate +12\\.5 % +12\\.5 %\n"));
  EXPECT_THAT(table, ContainsRegex("the fallback +37\\.4 % +37\\.4 %\n"));
  EXPECT_THAT(table, ContainsRegex("deadline \\(3\\) +79 +79\n"));
  EXPECT_THAT(table, ContainsRegex("for nobody +31\\.7 +31\\.7\n"));
  EXPECT_THAT(table, ContainsRegex("recovered \\(4\\) +not in 6 +0\\.3\n"));
  EXPECT_THAT(table, ContainsRegex("the mean +1\\.96 +1\\.96\n"));
  EXPECT_THAT(table, ContainsRegex("payments killed +4 +0\n"));
  EXPECT_THAT(table, ContainsRegex("knows nothing \\(5\\) +2 +2\n"));
  EXPECT_THAT(table, ContainsRegex("after the sweep +123 +123\n"));
}

TEST(TableTest, GivesEachOfManyCoursesARow) {
  Story story = TwoCourses();
  story.courses.insert(story.courses.begin() + 1, story.courses[0]);
  story.courses[1].name = "+ one layer";
  EXPECT_THAT(
      Table(story),
      HasSubstr(
          "            attempts an order busiest      in    late  wasted     "
          "until charged payment\n"
          "             failing     back  100 ms    time entries seconds "
          "recov., s   twice unknown\n"
          "bare           50.00     0.00     370  50.0 %      79    31.7  "
          "not in 6       4       2\n"
          "+ one layer    50.00     0.00     370  50.0 %      79    31.7  "
          "not in 6       4       2\n"
          "forbear         1.10     0.00     370 100.0 %      79    31.7       "
          "0.3       0       2\n"));
}

TEST(TableTest, EndsWithWhatIsToBeKnown) {
  EXPECT_THAT(
      Table(TwoCourses()),
      EndsWith("\n\n"
               "While routes fails, retries by hand send it 50.00 "
               "attempts for every order;\n"
               "with forbear it gets 1.10. In the busiest 100 ms of the "
               "evening it gets 370 by\n"
               "hand, and 370 with forbear. By hand 50.0 % of the "
               "orders have an answer in\n"
               "time, handlers work 31.7 s for customers who have left, "
               "and 4 cards are charged\n"
               "twice. With forbear it is 100.0 %, 31.7 s, and 0.\n"));
}

TEST(TableTest, FitsIntoATerminalOf80Columns) {
  for (const absl::string_view line :
       absl::StrSplit(Table(TwoCourses()), '\n')) {
    EXPECT_LT(line.size(), 80) << line;
  }
}

}  // namespace
}  // namespace storm
