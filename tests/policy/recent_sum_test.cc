#include "interceptors/policy/recent_sum.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/testing/split_mix64.h"

namespace forbear {
namespace {

// A window of 80 ns: slots of 10.
constexpr absl::Duration kWindow = absl::Nanoseconds(80);

TEST(RecentSumTest, CountsWhatWasAddedInTheWindow) {
  RecentSum sum(kWindow);
  EXPECT_EQ(sum.Sum(0), 0);
  sum.Add(5, 3);
  sum.Add(7, 12);
  EXPECT_EQ(sum.Sum(12), 12);
  EXPECT_EQ(sum.Sum(79), 12);
}

TEST(RecentSumTest, DropsASlotOnceItsBeginningCouldHaveLeftTheWindow) {
  RecentSum sum(kWindow);
  sum.Add(5, 3);
  sum.Add(7, 12);
  EXPECT_EQ(sum.Sum(80), 7);
  EXPECT_EQ(sum.Sum(89), 7);
  EXPECT_EQ(sum.Sum(90), 0);
}

TEST(RecentSumTest, CountsNothingWithoutAWindow) {
  RecentSum sum(absl::ZeroDuration());
  sum.Add(5, 3);
  EXPECT_EQ(sum.Sum(3), 0);
}

TEST(RecentSumTest, TakesAnEarlierInstantForTheLatestSeen) {
  RecentSum sum(kWindow);
  sum.Add(5, 1000);
  sum.Add(7, 0);
  EXPECT_EQ(sum.Sum(0), 12);
  EXPECT_EQ(sum.Sum(1079), 12);
  EXPECT_EQ(sum.Sum(1080), 0);
}

TEST(RecentSumTest, SaturatesInsteadOfOverflowing) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  RecentSum sum(kWindow);
  for (int i = 0; i < 5; ++i) sum.Add(kMost - 1, 3);
  EXPECT_EQ(sum.Sum(3), kMost);
  sum.Add(1, 13);
  EXPECT_EQ(sum.Sum(13), kMost + 1);
}

TEST(RecentSumTest, GoesOnWhenTheNumbersOfItsSlotsWrap) {
  RecentSum sum(kWindow);
  const int64_t wrap = int64_t{10} << 32;
  sum.Add(5, 3);
  for (int64_t beginning : {wrap / 2, wrap - 40, wrap + 1000}) {
    EXPECT_EQ(sum.Sum(beginning), 0);
    for (int64_t slot = 0; slot < 8; ++slot) sum.Add(1, beginning + 10 * slot);
    EXPECT_EQ(sum.Sum(beginning + 70), 8);
  }
}

TEST(RecentSumTest, NeverExceedsTheWindowNorFallsBelowSevenEighthsOfIt) {
  SplitMix64 chance(1);
  RecentSum sum(kWindow);
  std::vector<std::pair<int64_t, int64_t>> added;
  int64_t now = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += static_cast<int64_t>(chance() % 12);
    if (chance() % 2 == 0) {
      const int64_t amount = static_cast<int64_t>(chance() % 100);
      sum.Add(amount, now);
      added.emplace_back(now, amount);
    }
    int64_t whole = 0;
    int64_t seven_eighths = 0;
    for (auto it = added.rbegin(); it != added.rend(); ++it) {
      if (it->first <= now - 80) break;
      whole += it->second;
      if (it->first > now - 70) seven_eighths += it->second;
    }
    ASSERT_LE(sum.Sum(now), whole);
    ASSERT_GE(sum.Sum(now), seven_eighths);
  }
}

TEST(RecentSumTest, LosesNothingToThreadsThatAddAtOnce) {
  RecentSum sum(kWindow);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&sum] {
      for (int64_t n = 0; n < 10'000; ++n) sum.Add(1, n / 125);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum.Sum(79), 40'000);
}

}  // namespace
}  // namespace forbear
