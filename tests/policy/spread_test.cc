#include "interceptors/policy/spread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/testing/pinned_chance.h"
#include "interceptors/testing/split_mix64.h"

namespace forbear {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::Duration kMinute = absl::Minutes(1);
constexpr absl::Duration kMicro = absl::Microseconds(1);
const absl::Time kLast = absl::FromUnixSeconds(1000);

TEST(JitteredPeriodTest, ReachesFromHalfAPeriodToOneAndAHalf) {
  PinnedChance bottom = PinnedChance::Bottom();
  PinnedChance top = PinnedChance::Top();
  EXPECT_EQ(JitteredPeriod(kLast, kMinute, bottom), kLast + kMinute / 2);
  EXPECT_EQ(JitteredPeriod(kLast, kMinute, top), kLast + kMinute * 3 / 2);
}

TEST(JitteredPeriodTest, KeepsThePeriodInTheMean) {
  SplitMix64 chance(7);
  absl::Time due = kLast;
  for (int i = 0; i < 10'000; ++i) due = JitteredPeriod(due, kMinute, chance);
  const absl::Duration mean = (due - kLast) / 10'000;
  EXPECT_GT(mean, kMinute * 0.99);
  EXPECT_LT(mean, kMinute * 1.01);
}

// 1,000 jobs of a minute that were due together: 16.7 a second from then on.
TEST(JitteredPeriodTest, PutsAFleetThatWasAlignedOutOfStep) {
  std::vector<int> seconds(121);
  for (int job = 0; job < 1000; ++job) {
    SplitMix64 chance(job);
    absl::Time due = JitteredPeriod(kLast, kMinute, chance);
    for (; due < kLast + absl::Seconds(120);
         due = JitteredPeriod(due, kMinute, chance)) {
      ++seconds[(due - kLast) / absl::Seconds(1)];
    }
  }
  EXPECT_LT(*std::max_element(seconds.begin(), seconds.end()), 45);
}

TEST(JitteredPeriodTest, TakesAPeriodBelowZeroForZero) {
  SplitMix64 chance(7);
  EXPECT_EQ(JitteredPeriod(kLast, -kMinute, chance), kLast);
  EXPECT_EQ(JitteredPeriod(kLast, absl::ZeroDuration(), chance), kLast);
}

TEST(SpreadBatchesTest, TakesEachItemOnceAndInOrder) {
  SplitMix64 chance(7);
  const std::vector<Batch> batches = SpreadBatches(103, 10, kMinute, chance);
  ASSERT_THAT(batches, SizeIs(11));
  size_t next = 0;
  for (const Batch& batch : batches) {
    EXPECT_EQ(batch.begin, next);
    next = batch.end;
  }
  EXPECT_EQ(batches.back().begin, 100u);
  EXPECT_EQ(next, 103u);
}

// Four batches in 60 s: each may take any instant of its own 15 s, none of
// another's.
TEST(SpreadBatchesTest, GivesEachBatchItsOwnPartOfTheWindow) {
  PinnedChance bottom = PinnedChance::Bottom();
  PinnedChance top = PinnedChance::Top();
  const std::vector<Batch> early = SpreadBatches(40, 10, kMinute, bottom);
  const std::vector<Batch> late = SpreadBatches(40, 10, kMinute, top);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(early[i].after, i * kMinute / 4);
    EXPECT_EQ(late[i].after, (i + 1) * kMinute / 4 - kMicro);
  }
}

TEST(SpreadBatchesTest, DrawsADifferentInstantEachTime) {
  SplitMix64 chance(7);
  EXPECT_NE(SpreadBatches(1, 1, kMinute, chance)[0].after,
            SpreadBatches(1, 1, kMinute, chance)[0].after);
}

TEST(SpreadBatchesTest, HasNothingToDoForNothing) {
  SplitMix64 chance(7);
  EXPECT_THAT(SpreadBatches(0, 10, kMinute, chance), IsEmpty());
}

TEST(SpreadBatchesTest, MakesTheBestOfWhatIsOutOfRange) {
  SplitMix64 chance(7);
  EXPECT_THAT(SpreadBatches(3, 0, kMinute, chance), SizeIs(3));
  EXPECT_THAT(SpreadBatches(3, -1, kMinute, chance), SizeIs(1));
  for (const Batch& batch : SpreadBatches(30, 10, -kMinute, chance)) {
    EXPECT_EQ(batch.after, absl::ZeroDuration());
  }
  // A window too short for its batches: some share an instant, none is late.
  for (const Batch& batch : SpreadBatches(100, 1, 5 * kMicro, chance)) {
    EXPECT_LT(batch.after, 5 * kMicro);
  }
}

}  // namespace
}  // namespace forbear
