// What is drawn, read off the SVG.
#include "examples/page/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "examples/page/bars.h"
#include "examples/page/ticks.h"
#include "examples/page/time_line.h"

namespace page {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// 0 to 10 s over 310 units from 40 on; 0 to 100 over 140 units from 158 up.
Chart Plain() {
  Chart chart;
  chart.title = "attempts";
  chart.description = "few";
  chart.x = {"s", 0, 10};
  chart.y = {"attempts per 100 ms", 0, 100};
  return chart;
}

TEST(TicksTest, AreRoundAndFew) {
  EXPECT_THAT(Ticks(0, 370, 4), ElementsAre(0, 100, 200, 300));
  EXPECT_THAT(Ticks(0, 6, 4), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(Ticks(0, 0.3, 3),
              ElementsAre(0, DoubleEq(0.1), DoubleEq(0.2), DoubleEq(0.1 * 3)));
  EXPECT_THAT(Ticks(-5, 5, 2), ElementsAre(-5, 0, 5));
}

TEST(TicksTest, OfAnAxisWithoutLengthAreOne) {
  EXPECT_THAT(Ticks(0, 0, 4), ElementsAre(0));
  EXPECT_EQ(Digits(Ticks(0, 0, 4)), 0);
}

TEST(TicksTest, AreShownWithAsManyDigitsAsTellThemApart) {
  EXPECT_EQ(Digits({0, 100}), 0);
  EXPECT_EQ(Digits({0, 1}), 0);
  EXPECT_EQ(Digits({0, 0.5}), 1);
  EXPECT_EQ(Digits({0, 0.02}), 2);
}

TEST(ChartTest, DrawsAPointWhereTheAxesSay) {
  Chart chart = Plain();
  chart.lines = {{"attempts", {{0, 0}, {5, 50}, {10, 100}}}};
  EXPECT_THAT(Svg(chart), HasSubstr("d=\"M40,158L195,88L350,18\""));
}

TEST(ChartTest, LeavesAGapWhereThereIsNoNumber) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  Chart chart = Plain();
  chart.lines = {{"balance", {{0, 0}, {2, none}, {5, 50}, {10, 100}}}};
  const std::string svg = Svg(chart);
  EXPECT_THAT(svg, HasSubstr("d=\"M40,158\""));
  EXPECT_THAT(svg, HasSubstr("d=\"M195,88L350,18\""));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(ChartTest, TellsWhoDoesNotSeeItWhatItIs) {
  Chart chart = Plain();
  chart.title = "a <b>";
  const std::string svg = Svg(chart);
  EXPECT_THAT(svg, HasSubstr("role=\"img\""));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"a &lt;b&gt;\""));
  EXPECT_THAT(svg, HasSubstr("<desc>few</desc>"));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

TEST(ChartTest, SetsLinesApartByMoreThanColour) {
  Chart chart = Plain();
  chart.lines = {{"bare", {{0, 0}, {10, 0}}, 0}, {"forbear", {{0, 0}}, 1}};
  const std::string svg = Svg(chart);
  EXPECT_EQ(Count(svg, "class=\"line s0\""), 1);
  EXPECT_EQ(Count(svg, "class=\"line s1\""), 1);
  EXPECT_EQ(Count(svg, "class=\"mark s0\""), 2);
  EXPECT_EQ(Count(svg, "class=\"mark s1\""), 1);
}

TEST(ChartTest, NamesThePeakOfItsFirstLine) {
  Chart chart = Plain();
  chart.names_peak = true;
  chart.lines = {{"attempts", {{0, 4}, {5, 63}, {10, 1}}}, {"good", {{0, 99}}}};
  EXPECT_THAT(Svg(chart), HasSubstr(">at most 63</text>"));
}

TEST(ChartTest, NamesNoPeakWhereNothingWasMeasured) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  Chart chart = Plain();
  chart.names_peak = true;
  chart.lines = {{"balance", {{0, none}, {5, none}}}};
  EXPECT_THAT(Svg(chart), Not(HasSubstr("at most")));
  chart.lines = {{"balance", {{0, none}, {5, 2.5}, {6, 1}, {7, none}}}};
  EXPECT_THAT(Svg(chart), HasSubstr(">at most 2.5</text>"));
}

TEST(ChartTest, PutsNamesOfShortPhasesBelowOneAnother) {
  Chart chart = Plain();
  chart.bands = {{"healthy", 0, 1}, {"failing fast", 1, 2}, {"hanging", 2, 10}};
  const std::string svg = Svg(chart);
  EXPECT_THAT(svg, HasSubstr("y=\"27\" text-anchor=\"start\" "
                             "class=\"band-name\">healthy"));
  EXPECT_THAT(svg, HasSubstr("y=\"37\" text-anchor=\"start\" "
                             "class=\"band-name\">failing fast"));
}

TEST(ChartTest, DrawsNothingOfNothing) {
  EXPECT_THAT(Svg(Chart{}), Not(HasSubstr("class=\"line")));
}

TEST(BarsTest, AreAsLongAsTheirNumbers) {
  Bars bars;
  bars.groups = {{"3 layers", {64, 16}}};
  const std::string svg = Svg(bars);
  EXPECT_THAT(svg, HasSubstr("width=\"289\""));
  EXPECT_THAT(svg, HasSubstr("width=\"72.2\""));
  EXPECT_THAT(svg, HasSubstr(">64</text>"));
}

TEST(BarsTest, WithoutEndSaySo) {
  Bars bars;
  bars.unbounded = "never";
  bars.groups = {
      {"nothing is done", {std::numeric_limits<double>::infinity(), 12}}};
  EXPECT_THAT(Svg(bars), HasSubstr(">never</text>"));
}

TEST(TimeLineTest, DrawsWhatOverlapsBelowOneAnother) {
  TimeLine line;
  line.x = {"ms", 0, 100};
  line.lanes = {{"routes",
                 {{0, 50, Stretch::Kind::kFailed, "one"},
                  {25, 75, Stretch::Kind::kDone, "two"},
                  {50, 100, Stretch::Kind::kDone, "three"}}}};
  const std::string svg = Svg(line);
  EXPECT_THAT(svg, HasSubstr("stretch failed\" x=\"58\" y=\"6\""));
  EXPECT_THAT(svg, HasSubstr("stretch done\" x=\"131\" y=\"17\""));
  EXPECT_THAT(svg, HasSubstr("stretch done\" x=\"204\" y=\"6\""));
  EXPECT_EQ(Count(svg, "class=\"cross\""), 1);
}

TEST(TimeLineTest, ShowsEvenTheShortest) {
  TimeLine line;
  line.x = {"ms", 0, 100'000};
  line.lanes = {{"routes", {{0, 1, Stretch::Kind::kDone, "attempt 1"}}}};
  EXPECT_THAT(Svg(line), HasSubstr("width=\"1.5\""));
}

}  // namespace
}  // namespace page
