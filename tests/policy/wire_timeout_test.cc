#include "interceptors/policy/wire_timeout.h"

#include <gtest/gtest.h>

#include "absl/time/time.h"

namespace forbear {
namespace {

// What gRPC 1.51 sends for a timeout, by its timeout_encoding.cc.
int64_t RoundUp(int64_t value, int64_t to) {
  return (value + to - 1) / to * to;
}

absl::Duration SentMinutes(int64_t minutes) {
  if (minutes < 1000 && minutes % 60 != 0) return absl::Minutes(minutes);
  if (minutes >= 1000 && minutes < 100'000) {
    const int64_t sent = RoundUp(minutes, minutes < 10'000 ? 10 : 100);
    if (sent % 60 != 0) return absl::Minutes(sent);
  }
  return absl::Minutes(std::min<int64_t>(RoundUp(minutes, 60), 27'000 * 60));
}

absl::Duration SentSeconds(int64_t seconds) {
  if (seconds < 1000 && seconds % 60 != 0) return absl::Seconds(seconds);
  if (seconds >= 1000 && seconds < 100'000) {
    const int64_t sent = RoundUp(seconds, seconds < 10'000 ? 10 : 100);
    if (sent % 60 != 0) return absl::Seconds(sent);
  }
  return SentMinutes(RoundUp(seconds, 60) / 60);
}

absl::Duration Sent(absl::Duration time) {
  const int64_t millis = time / absl::Milliseconds(1);
  if (millis < 1000) return absl::Milliseconds(millis);
  if (millis < 100'000) {
    const int64_t sent = RoundUp(millis, millis < 10'000 ? 10 : 100);
    if (sent % 1000 != 0) return absl::Milliseconds(sent);
  }
  return SentSeconds(RoundUp(millis, 1000) / 1000);
}

TEST(WireTimeoutTest, RoundsDownToAboutThreeDigits) {
  const struct {
    absl::Duration time;
    absl::Duration rounded;
  } kCases[] = {
      {absl::Milliseconds(1), absl::Milliseconds(1)},
      {absl::Microseconds(999'999), absl::Milliseconds(999)},
      {absl::Milliseconds(1001), absl::Milliseconds(1000)},
      {absl::Milliseconds(9999), absl::Milliseconds(9990)},
      {absl::Milliseconds(10'001), absl::Milliseconds(10'000)},
      {absl::Milliseconds(12'345), absl::Milliseconds(12'300)},
      {absl::Milliseconds(99'999), absl::Milliseconds(99'900)},
      {absl::Milliseconds(100'999), absl::Seconds(100)},
      {absl::Seconds(1009), absl::Seconds(1000)},
      {absl::Seconds(10'099), absl::Seconds(10'000)},
      {absl::Seconds(60'300), absl::Seconds(60'000)},
      {absl::Minutes(9999), absl::Minutes(9990)},
      {absl::Minutes(99'999), absl::Minutes(99'900)},
      {absl::Minutes(100'019), absl::Hours(1666)},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(RoundDownToWire(c.time), c.rounded) << c.time;
  }
}

TEST(WireTimeoutTest, GivesNoTimeForNoTime) {
  EXPECT_EQ(RoundDownToWire(absl::ZeroDuration()), absl::ZeroDuration());
  EXPECT_EQ(RoundDownToWire(absl::Microseconds(999)), absl::ZeroDuration());
  EXPECT_EQ(RoundDownToWire(-absl::Nanoseconds(1)), absl::ZeroDuration());
  EXPECT_EQ(RoundDownToWire(-absl::InfiniteDuration()), absl::ZeroDuration());
}

TEST(WireTimeoutTest, LeavesInfinityAsItIs) {
  EXPECT_EQ(RoundDownToWire(absl::InfiniteDuration()),
            absl::InfiniteDuration());
}

// Steps of 0.07 % from 1 ms to three years: some thirty thousand timeouts.
TEST(WireTimeoutTest, GivesNothingThatGrpcWouldRoundUp) {
  for (absl::Duration time = absl::Milliseconds(1);
       time < absl::Hours(3 * 365 * 24);
       time += std::max(absl::Microseconds(700), time * 0.0007)) {
    const absl::Duration rounded = RoundDownToWire(time);
    ASSERT_LE(rounded, time);
    ASSERT_LE(Sent(rounded), rounded) << time;
    // Little is lost: about 1 %, or what is under a millisecond.
    ASSERT_GT(rounded * 1.0101 + absl::Milliseconds(1), time);
  }
}

TEST(WireTimeoutTest, GivesWhatItGaveWhenAskedAgain) {
  for (int64_t millis = 1; millis < 200'000; millis += 7) {
    const absl::Duration once = RoundDownToWire(absl::Milliseconds(millis));
    ASSERT_EQ(RoundDownToWire(once), once);
  }
}

}  // namespace
}  // namespace forbear
