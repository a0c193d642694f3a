#include "interceptors/admission/adaptive_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/time/time.h"
#include "interceptors/testing/pinned_chance.h"

namespace forbear {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

// A backend that does `slots` things at once: more take turns, and so longer.
class AdaptiveLimitTest : public ::testing::Test {
 protected:
  // Keeps as many running as may, or as many as there are, for so long.
  void Serve(absl::Duration time, int demand = 1'000'000) {
    const absl::Time end = now_ + time;
    while (now_ < end) {
      const int running = std::min(demand, limit_.limit());
      const absl::Duration took =
          service_ * std::max(1.0, static_cast<double>(running) / slots_);
      // One after another, evenly.
      now_ += took / running;
      limit_.Record(took, running, now_, chance_);
    }
  }

  int slots_ = 8;
  absl::Duration service_ = absl::Milliseconds(10);
  PinnedChance chance_ = PinnedChance::Bottom();
  absl::Time now_ = absl::UnixEpoch();
  AdaptiveLimit limit_{/*least=*/3, /*most=*/1000, now_};
};

TEST_F(AdaptiveLimitTest, LetsFewInUntilItKnowsWhatACallTakes) {
  EXPECT_EQ(limit_.limit(), 3);
  Serve(absl::Milliseconds(100));
  EXPECT_EQ(limit_.limit(), 3);
}

// g x L + sqrt(g x L) = L, with g = 1.25 x 8 / L: 10 + sqrt(10).
TEST_F(AdaptiveLimitTest, SettlesALittleAboveWhatTheBackendDoesAtOnce) {
  Serve(absl::Seconds(10));
  EXPECT_EQ(limit_.limit(), 13);
  Serve(absl::Seconds(10));
  EXPECT_EQ(limit_.limit(), 13);
}

TEST_F(AdaptiveLimitTest, FollowsABackendThatLosesOrGainsSlots) {
  Serve(absl::Seconds(10));
  slots_ = 2;
  Serve(absl::Seconds(2));
  EXPECT_THAT(limit_.limit(), AllOf(Ge(3), Le(4)));
  slots_ = 64;
  Serve(absl::Seconds(10));
  EXPECT_EQ(limit_.limit(), 89);  // 80 + sqrt(80).
}

TEST_F(AdaptiveLimitTest, StaysBetweenItsBounds) {
  slots_ = 100'000;
  Serve(absl::Seconds(20));
  EXPECT_EQ(limit_.limit(), 1000);
  slots_ = 1;
  Serve(absl::Seconds(20));
  EXPECT_EQ(limit_.limit(), 3);
}

TEST_F(AdaptiveLimitTest, DoesNotGrowWhereItIsNotReached) {
  Serve(absl::Seconds(10));
  Serve(absl::Seconds(1), /*demand=*/6);  // The window in which it fell.
  const int limit = limit_.limit();
  EXPECT_THAT(limit, AllOf(Ge(13), Le(20)));
  Serve(absl::Seconds(30), /*demand=*/6);
  EXPECT_EQ(limit_.limit(), limit);
}

// Whatever calls take now, however long it has lasted, is not the baseline.
TEST_F(AdaptiveLimitTest, MeasuresAgainAfterAMinuteWithFewCalls) {
  Serve(absl::Seconds(10));
  service_ = absl::Milliseconds(40);  // A slower disk, as wide as before.
  Serve(absl::Seconds(10));
  EXPECT_EQ(limit_.limit(), 3);  // It looks crowded.
  Serve(absl::Seconds(60));
  EXPECT_EQ(limit_.limit(), 13);  // It is not.
}

TEST_F(AdaptiveLimitTest, WhatStartedAmongManyIsNoBaseline) {
  Serve(absl::Seconds(10));
  // The minute is over, and those that still run took long.
  Serve(absl::Seconds(60) - absl::Milliseconds(1));
  while (limit_.limit() != 3) {
    now_ += absl::Milliseconds(1);
    limit_.Record(absl::Milliseconds(16), 13, now_, chance_);
  }
  for (int i = 0; i < 13; ++i) {
    limit_.Record(absl::Seconds(100), 13, now_, chance_);
  }
  Serve(absl::Seconds(5));
  EXPECT_EQ(limit_.limit(), 13);
}

TEST_F(AdaptiveLimitTest, FewCallsAreEnoughWhereNoMoreCome) {
  for (int i = 0; i < 11; ++i) {
    now_ += absl::Milliseconds(100);
    limit_.Record(service_, 1, now_, chance_);
  }
  EXPECT_EQ(limit_.limit(), 3);
  Serve(absl::Seconds(10));
  EXPECT_EQ(limit_.limit(), 13);
}

// Few at once for long would be worse than a baseline of few.
TEST_F(AdaptiveLimitTest, SlowCallsHoldUpNobodyForLong) {
  service_ = absl::Seconds(2);
  now_ += 3 * service_;
  limit_.Record(service_, 3, now_, chance_);
  for (int i = 0; i < 10; ++i) {
    now_ += absl::Milliseconds(100);
    limit_.Record(service_, 3, now_, chance_);
  }
  EXPECT_EQ(limit_.limit(), 6);  // 1.25 x 3 + sqrt(1.25 x 3).
}

}  // namespace
}  // namespace forbear
