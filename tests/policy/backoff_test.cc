#include "interceptors/policy/backoff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/testing/pinned_chance.h"
#include "interceptors/testing/split_mix64.h"

namespace forbear {
namespace {

using ::testing::ElementsAre;

constexpr absl::Duration kMs = absl::Milliseconds(1);

BackoffOptions Options(Jitter jitter, absl::Duration initial,
                       absl::Duration max) {
  BackoffOptions options;
  options.jitter = jitter;
  options.initial = initial;
  options.max = max;
  return options;
}

// The first `n` waits, in whole milliseconds.
template <typename Chance>
std::vector<int64_t> Waits(const BackoffOptions& options, Chance chance,
                           int n) {
  Backoff backoff(options);
  std::vector<int64_t> waits;
  for (int i = 0; i < n; ++i) waits.push_back(backoff.Next(chance) / kMs);
  return waits;
}

TEST(BackoffTest, HasTheDefaultsThatItsHeaderPromises) {
  const BackoffOptions options;
  EXPECT_EQ(options.jitter, Jitter::kFull);
  EXPECT_EQ(options.initial, absl::Milliseconds(100));
  EXPECT_EQ(options.multiplier, 2);
  EXPECT_EQ(options.max, absl::Seconds(10));
  EXPECT_EQ(options.resolution, absl::Milliseconds(1));
  EXPECT_EQ(options.Validate(), absl::OkStatus());
}

TEST(BackoffTest, DoublesUpToItsCap) {
  Backoff backoff(
      Options(Jitter::kNone, absl::Milliseconds(2), absl::Milliseconds(513)));
  SplitMix64 chance(1);
  std::vector<int64_t> cumulative;
  absl::Duration sum;
  for (int n = 0; n < 12; ++n) {
    sum += backoff.Next(chance);
    cumulative.push_back(sum / kMs);
  }
  EXPECT_THAT(cumulative, ElementsAre(2, 6, 14, 30, 62, 126, 254, 510, 1022,
                                      1535, 2048, 2561));
}

TEST(BackoffTest, SaturatesForEveryRetryAndMultiplier) {
  BackoffOptions options;
  options.initial = absl::Milliseconds(50);
  options.max = absl::Hours(1);
  for (double multiplier :
       {1.0, std::nextafter(1.0, 2.0), 1.000001, 1.3, 1.6, 2.0, 10.0, 1e9}) {
    options.multiplier = multiplier;
    absl::Duration last = absl::Milliseconds(50);
    for (int n = 1; n <= 100; ++n) {
      const absl::Duration ceiling = Backoff::Ceiling(options, n);
      ASSERT_GE(ceiling, last) << multiplier << ", retry " << n;
      ASSERT_LE(ceiling, absl::Hours(1)) << multiplier << ", retry " << n;
      last = ceiling;
    }
    const absl::Duration ceiling =
        Backoff::Ceiling(options, std::numeric_limits<int>::max());
    EXPECT_GE(ceiling, last) << multiplier;
    EXPECT_LE(ceiling, absl::Hours(1)) << multiplier;
    if (multiplier >= 2) {
      EXPECT_EQ(last, absl::Hours(1)) << multiplier;
      EXPECT_EQ(ceiling, absl::Hours(1)) << multiplier;
    }
  }
}

TEST(BackoffTest, KeepsTheSameCeilingWhenItsMultiplierIsOne) {
  BackoffOptions options;
  options.multiplier = 1;
  EXPECT_EQ(Backoff::Ceiling(options, 1), absl::Milliseconds(100));
  EXPECT_EQ(Backoff::Ceiling(options, std::numeric_limits<int>::max()),
            absl::Milliseconds(100));
}

TEST(BackoffTest, RoundsCeilingsDownToItsResolution) {
  BackoffOptions options;
  options.multiplier = 1.3;
  options.max = absl::Microseconds(200'500);
  EXPECT_EQ(Backoff::Ceiling(options, 2), absl::Milliseconds(130));
  EXPECT_EQ(Backoff::Ceiling(options, 3), absl::Milliseconds(169));
  EXPECT_EQ(Backoff::Ceiling(options, 4), absl::Milliseconds(200));
  options.resolution = absl::Milliseconds(7);
  EXPECT_EQ(Backoff::Ceiling(options, 1), absl::Milliseconds(98));
}

// 100 ms x 1.2 x 1.2 is 143.99999999999997 ms to a double.
TEST(BackoffTest, LosesNoUnitToRounding) {
  BackoffOptions options;
  for (double multiplier : {1.1, 1.2, 1.3, 1.4, 1.7, 2.3}) {
    options.multiplier = multiplier;
    const int64_t tenths = std::llround(multiplier * 10);
    EXPECT_EQ(Backoff::Ceiling(options, 3), tenths * tenths * kMs)
        << multiplier;
  }
}

TEST(BackoffTest, SpansTheRangeOfItsJitter) {
  const struct {
    Jitter jitter;
    std::vector<int64_t> bottom;
    std::vector<int64_t> top;
  } kCases[] = {
      {Jitter::kNone, {100, 200, 400, 700, 700}, {100, 200, 400, 700, 700}},
      {Jitter::kFull, {0, 0, 0, 0, 0}, {100, 200, 400, 700, 700}},
      {Jitter::kEqual, {50, 100, 200, 350, 350}, {100, 200, 400, 700, 700}},
      {Jitter::kDecorrelated,
       {100, 100, 100, 100, 100},
       {300, 700, 700, 700, 700}},
      {Jitter::kProportional,
       {80, 160, 320, 560, 560},
       {120, 240, 480, 840, 840}},
  };
  for (const auto& c : kCases) {
    const BackoffOptions options =
        Options(c.jitter, absl::Milliseconds(100), absl::Milliseconds(700));
    EXPECT_EQ(Waits(options, PinnedChance::Bottom(), 5), c.bottom)
        << JitterName(c.jitter);
    EXPECT_EQ(Waits(options, PinnedChance::Top(), 5), c.top)
        << JitterName(c.jitter);
  }
}

TEST(BackoffTest, HalvesAnOddCeilingInWholeUnits) {
  const BackoffOptions options =
      Options(Jitter::kEqual, absl::Milliseconds(7), absl::Milliseconds(7));
  EXPECT_THAT(Waits(options, PinnedChance::Bottom(), 1), ElementsAre(3));
  EXPECT_THAT(Waits(options, PinnedChance::Top(), 1), ElementsAre(6));
}

TEST(BackoffTest, StaysInsideTheProportionsOfACeilingThatFiveDoesNotDivide) {
  const BackoffOptions options = Options(
      Jitter::kProportional, absl::Milliseconds(7), absl::Milliseconds(7));
  EXPECT_THAT(Waits(options, PinnedChance::Bottom(), 1), ElementsAre(6));
  EXPECT_THAT(Waits(options, PinnedChance::Top(), 1), ElementsAre(8));
  const BackoffOptions least = Options(Jitter::kProportional, kMs, kMs);
  EXPECT_THAT(Waits(least, PinnedChance::Bottom(), 1), ElementsAre(1));
  EXPECT_THAT(Waits(least, PinnedChance::Top(), 1), ElementsAre(1));
}

// lo + floor((next >> 11) x 2^-53 x (hi - lo + 1)), so that whoever knows the
// generator and the seed knows the wait.
TEST(BackoffTest, DrawsByThePublishedRule) {
  SplitMix64 same(7);
  std::vector<int64_t> expected;
  for (int64_t ceiling : {100, 200, 400, 800}) {
    const double fraction = static_cast<double>(same() >> 11) / 0x1p53;
    expected.push_back(static_cast<int64_t>(
        std::floor(fraction * static_cast<double>(ceiling + 1))));
  }
  EXPECT_EQ(Waits(BackoffOptions(), SplitMix64(7), 4), expected);
  EXPECT_THAT(expected, ElementsAre(39, 3, 361, 466));
}

TEST(BackoffTest, DrawsEveryWaitOfFullJitterEquallyOften) {
  const BackoffOptions options =
      Options(Jitter::kFull, absl::Milliseconds(9), absl::Milliseconds(9));
  std::vector<int> seen(10);
  for (int64_t wait : Waits(options, SplitMix64(11), 100'000)) ++seen[wait];
  for (int wait = 0; wait <= 9; ++wait) {
    EXPECT_NEAR(seen[wait], 10'000, 400) << wait;  // Four standard deviations.
  }
}

TEST(BackoffTest, HasAMeanOfHalfTheCeilingUnderFullJitter) {
  const BackoffOptions options = Options(
      Jitter::kFull, absl::Milliseconds(1000), absl::Milliseconds(1000));
  int64_t sum = 0;
  for (int64_t wait : Waits(options, SplitMix64(3), 100'000)) sum += wait;
  EXPECT_NEAR(static_cast<double>(sum) / 100'000, 500, 5);
}

TEST(BackoffTest, NeverWaitsLessThanFourFifthsUnderProportionalJitter) {
  const BackoffOptions options = Options(
      Jitter::kProportional, absl::Milliseconds(999), absl::Milliseconds(999));
  for (int64_t wait : Waits(options, SplitMix64(5), 100'000)) {
    ASSERT_GE(static_cast<double>(wait), 0.8 * 999);
    ASSERT_LE(static_cast<double>(wait), 1.2 * 999);
  }
}

TEST(BackoffTest, DrawsDecorrelatedWaitsFromThePreviousOne) {
  const BackoffOptions options = Options(
      Jitter::kDecorrelated, absl::Milliseconds(10), absl::Milliseconds(2000));
  int64_t previous = 10;
  for (int64_t wait : Waits(options, SplitMix64(9), 10'000)) {
    ASSERT_GE(wait, 10);
    ASSERT_LE(wait, std::min<int64_t>(2000, 3 * previous));
    previous = wait;
  }
}

TEST(BackoffTest, WaitsInWholeMultiplesOfItsResolution) {
  BackoffOptions options;
  options.initial = absl::Microseconds(500);
  options.max = absl::Milliseconds(10);
  options.resolution = absl::Microseconds(100);
  for (Jitter jitter : {Jitter::kNone, Jitter::kFull, Jitter::kEqual,
                        Jitter::kDecorrelated, Jitter::kProportional}) {
    options.jitter = jitter;
    Backoff backoff(options);
    SplitMix64 chance(1);
    std::set<absl::Duration> waits;
    for (int n = 0; n < 1000; ++n) {
      const absl::Duration wait = backoff.Next(chance);
      ASSERT_EQ(wait % options.resolution, absl::ZeroDuration());
      waits.insert(wait);
    }
    if (jitter != Jitter::kNone) {
      EXPECT_GT(waits.size(), 20u);
    }
  }
}

TEST(BackoffTest, StartsOverWhenReset) {
  for (Jitter jitter : {Jitter::kNone, Jitter::kDecorrelated}) {
    Backoff backoff(
        Options(jitter, absl::Milliseconds(100), absl::Seconds(10)));
    PinnedChance chance = PinnedChance::Top();
    const absl::Duration first = backoff.Next(chance);
    EXPECT_NE(backoff.Next(chance), first);
    backoff.Reset();
    EXPECT_EQ(backoff.Next(chance), first);
  }
}

TEST(BackoffTest, NamesEveryJitter) {
  EXPECT_EQ(JitterName(Jitter::kNone), "none");
  EXPECT_EQ(JitterName(Jitter::kFull), "full");
  EXPECT_EQ(JitterName(Jitter::kEqual), "equal");
  EXPECT_EQ(JitterName(Jitter::kDecorrelated), "decorrelated");
  EXPECT_EQ(JitterName(Jitter::kProportional), "proportional");
}

TEST(BackoffOptionsTest, AcceptsTheEndsOfEveryRange) {
  BackoffOptions options;
  options.initial = absl::Microseconds(1);
  options.resolution = absl::Microseconds(1);
  options.max = absl::Microseconds(1);
  options.multiplier = 1;
  EXPECT_EQ(options.Validate(), absl::OkStatus());
  options.initial = absl::Hours(1);
  options.resolution = absl::Hours(1);
  options.max = absl::Hours(24);
  options.multiplier = 1e9;
  EXPECT_EQ(options.Validate(), absl::OkStatus());
}

absl::Status Refused(const char* message) {
  return absl::InvalidArgumentError(message);
}

TEST(BackoffOptionsTest, RefusesAnInitialCeilingOutOfRange) {
  BackoffOptions options;
  options.initial = absl::ZeroDuration();
  EXPECT_EQ(options.Validate(), Refused("initial: 0 is out of range (0, 1h]"));
  options.initial = -absl::Milliseconds(5);
  EXPECT_EQ(options.Validate(),
            Refused("initial: -5ms is out of range (0, 1h]"));
  options.initial = absl::Hours(1) + absl::Nanoseconds(1);
  EXPECT_EQ(options.Validate(),
            Refused("initial: 1h0.000000001s is out of range (0, 1h]"));
  options.initial = absl::InfiniteDuration();
  EXPECT_EQ(options.Validate(),
            Refused("initial: inf is out of range (0, 1h]"));
}

TEST(BackoffOptionsTest, RefusesAMultiplierOutOfRange) {
  BackoffOptions options;
  options.multiplier = 0.5;
  EXPECT_EQ(
      options.Validate("shop.Routes/Estimate: backoff."),
      Refused("shop.Routes/Estimate: backoff.multiplier: 0.5 is out of range "
              "[1, 1e9]"));
  options.multiplier = 0.9999999;
  EXPECT_EQ(options.Validate(),
            Refused("multiplier: 0.9999999 is out of range [1, 1e9]"));
  options.multiplier = 1e10;
  EXPECT_EQ(options.Validate(),
            Refused("multiplier: 1e+10 is out of range [1, 1e9]"));
  options.multiplier = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(options.Validate(),
            Refused("multiplier: nan is out of range [1, 1e9]"));
  options.multiplier = std::numeric_limits<double>::infinity();
  EXPECT_EQ(options.Validate(),
            Refused("multiplier: inf is out of range [1, 1e9]"));
}

TEST(BackoffOptionsTest, RefusesAHighestCeilingOutOfRange) {
  BackoffOptions options;
  options.max = absl::Milliseconds(99);
  EXPECT_EQ(options.Validate(),
            Refused("max: 99ms is out of range [100ms, 24h]"));
  options.max = absl::Hours(25);
  EXPECT_EQ(options.Validate(),
            Refused("max: 25h is out of range [100ms, 24h]"));
}

TEST(BackoffOptionsTest, RefusesAResolutionOutOfRange) {
  BackoffOptions options;
  options.resolution = absl::Nanoseconds(999);
  EXPECT_EQ(options.Validate(),
            Refused("resolution: 999ns is out of range [1us, 100ms]"));
  options.resolution = absl::Milliseconds(101);
  EXPECT_EQ(options.Validate(),
            Refused("resolution: 101ms is out of range [1us, 100ms]"));
}

}  // namespace
}  // namespace forbear
