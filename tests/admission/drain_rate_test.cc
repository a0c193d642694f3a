#include "interceptors/admission/drain_rate.h"

#include <gtest/gtest.h>

#include "absl/time/time.h"

namespace forbear {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(10);

class DrainRateTest : public ::testing::Test {
 protected:
  // So many departures, one each tick of full time.
  void Depart(int count) {
    for (int i = 0; i < count; ++i) {
      now_ += kTick;
      rate_.Departed(now_);
    }
  }

  absl::Time now_ = absl::UnixEpoch();
  DrainRate rate_{/*enough=*/4};
};

TEST_F(DrainRateTest, IsUnknownUntilEnoughHaveDeparted) {
  rate_.SetFull(true, now_);
  Depart(3);
  EXPECT_FALSE(rate_.PerSecond(now_).has_value());
  Depart(1);
  EXPECT_DOUBLE_EQ(rate_.PerSecond(now_).value(), 100);
}

TEST_F(DrainRateTest, DoesNotCountTimeWithSlotsToSpare) {
  rate_.SetFull(true, now_);
  Depart(50);
  rate_.SetFull(false, now_);
  now_ += absl::Hours(1);
  Depart(50);  // Not what a full server does.
  EXPECT_DOUBLE_EQ(rate_.PerSecond(now_).value(), 100);
}

TEST_F(DrainRateTest, FallsWhileNothingDeparts) {
  rate_.SetFull(true, now_);
  Depart(100);
  now_ += absl::Seconds(1) - 8 * kTick;
  EXPECT_NEAR(rate_.PerSecond(now_).value(), 8, 0.1);
  now_ += absl::Seconds(9);
  EXPECT_NEAR(rate_.PerSecond(now_).value(), 0.8, 0.01);
}

TEST_F(DrainRateTest, KnowsCallsThatTakeLongerThanASecond) {
  rate_.SetFull(true, now_);
  for (int i = 0; i < 20; ++i) {
    now_ += absl::Seconds(5);
    rate_.Departed(now_);
  }
  EXPECT_DOUBLE_EQ(rate_.PerSecond(now_).value(), 0.2);
}

TEST_F(DrainRateTest, FollowsAServerThatGetsSlower) {
  rate_.SetFull(true, now_);
  Depart(1000);
  EXPECT_NEAR(rate_.PerSecond(now_).value(), 100, 1);
  for (int i = 0; i < 20; ++i) {
    now_ += absl::Milliseconds(100);
    rate_.Departed(now_);
  }
  EXPECT_NEAR(rate_.PerSecond(now_).value(), 10, 1.2);
}

}  // namespace
}  // namespace forbear
