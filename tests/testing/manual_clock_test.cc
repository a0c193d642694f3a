#include "interceptors/testing/manual_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace forbear {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::Duration Ms(int64_t ms) { return absl::Milliseconds(ms); }

class ManualClockTest : public ::testing::Test {
 protected:
  // A timer that notes its name and the instant at which it fires.
  ManualClock::Timer Add(absl::Duration after, const std::string& name,
                         int rank = 0) {
    return clock_.AddTimer(
        start_ + after,
        [this, name] {
          fired_.push_back(name + absl::FormatDuration(clock_.Now() - start_));
        },
        rank);
  }

  ManualClock clock_;
  const absl::Time start_ = clock_.Now();
  std::vector<std::string> fired_;
};

TEST_F(ManualClockTest, BeginsAtTheEpochOrWhereItIsTold) {
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch());
  EXPECT_EQ(ManualClock(absl::FromUnixSeconds(7)).Now(),
            absl::FromUnixSeconds(7));
}

TEST_F(ManualClockTest, StandsStillUntilItIsTold) {
  Add(Ms(0), "a");
  EXPECT_THAT(fired_, IsEmpty());
  EXPECT_EQ(clock_.Now(), start_);
}

TEST_F(ManualClockTest, FiresWhatIsDueInTheOrderOfInstants) {
  Add(Ms(30), "c");
  Add(Ms(10), "a");
  Add(Ms(20), "b");
  clock_.Advance(Ms(20));
  EXPECT_THAT(fired_, ElementsAre("a10ms", "b20ms"));
  EXPECT_EQ(clock_.Now(), start_ + Ms(20));
  EXPECT_EQ(clock_.Timers(), 1u);
  clock_.Advance(Ms(100));
  EXPECT_THAT(fired_, ElementsAre("a10ms", "b20ms", "c30ms"));
  EXPECT_EQ(clock_.Now(), start_ + Ms(120));
}

TEST_F(ManualClockTest, BreaksTiesByRankAndThenByCreation) {
  Add(Ms(10), "c", 1);
  Add(Ms(10), "d", 1);
  Add(Ms(10), "b");
  Add(Ms(10), "a", -1);
  Add(Ms(9), "first", 7);
  clock_.Advance(Ms(10));
  EXPECT_THAT(fired_,
              ElementsAre("first9ms", "a10ms", "b10ms", "c10ms", "d10ms"));
}

TEST_F(ManualClockTest, FiresATimerForThePastAtThePresent) {
  clock_.Advance(Ms(50));
  Add(Ms(50), "b");
  Add(Ms(10), "c");
  clock_.Advance(Ms(0));
  EXPECT_THAT(fired_, ElementsAre("b50ms", "c50ms"));
}

TEST_F(ManualClockTest, FiresTimersThatTimersAdd) {
  int left = 3;
  std::function<void()> tick = [&] {
    fired_.push_back(absl::FormatDuration(clock_.Now() - start_));
    if (--left > 0) clock_.AddTimer(clock_.Now() + Ms(10), tick);
    if (left == 0) clock_.AddTimer(clock_.Now(), [&] { Add(Ms(0), "now"); });
  };
  clock_.AddTimer(start_ + Ms(10), tick);
  clock_.Advance(Ms(30));
  EXPECT_THAT(fired_, ElementsAre("10ms", "20ms", "30ms", "now30ms"));
}

TEST_F(ManualClockTest, DoesNotFireWhatWasCancelled) {
  const ManualClock::Timer a = Add(Ms(10), "a");
  const ManualClock::Timer b = Add(Ms(10), "b");
  EXPECT_TRUE(clock_.Cancel(a));
  EXPECT_FALSE(clock_.Cancel(a));
  clock_.Advance(Ms(10));
  EXPECT_THAT(fired_, ElementsAre("b10ms"));
  EXPECT_FALSE(clock_.Cancel(b));
}

TEST_F(ManualClockTest, LetsATimerCancelAnotherThatIsDue) {
  ManualClock::Timer b;
  clock_.AddTimer(start_ + Ms(10), [&] { clock_.Cancel(b); });
  b = Add(Ms(10), "b");
  clock_.Advance(Ms(10));
  EXPECT_THAT(fired_, IsEmpty());
}

TEST_F(ManualClockTest, RunsUntilNothingWillEverFire) {
  Add(absl::Hours(1000), "b");
  Add(Ms(1), "a");
  Add(absl::InfiniteDuration(), "never");
  clock_.RunUntilIdle();
  EXPECT_THAT(fired_, ElementsAre("a1ms", "b1000h"));
  EXPECT_EQ(clock_.Now(), start_ + absl::Hours(1000));
  EXPECT_FALSE(clock_.FireNext());
  EXPECT_EQ(clock_.Timers(), 1u);
}

TEST_F(ManualClockTest, FiresOneTimerAtATimeWhenAsked) {
  Add(Ms(10), "a");
  Add(Ms(10), "b");
  EXPECT_TRUE(clock_.FireNext());
  EXPECT_THAT(fired_, ElementsAre("a10ms"));
  EXPECT_TRUE(clock_.FireNext());
  EXPECT_FALSE(clock_.FireNext());
  EXPECT_THAT(fired_, ElementsAre("a10ms", "b10ms"));
}

TEST_F(ManualClockTest, NeverGoesBack) {
  clock_.Advance(Ms(10));
  clock_.AdvanceTo(start_);
  EXPECT_EQ(clock_.Now(), start_ + Ms(10));
}

}  // namespace
}  // namespace forbear
