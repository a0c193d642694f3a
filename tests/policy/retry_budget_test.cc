#include "interceptors/policy/retry_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/testing/split_mix64.h"

namespace forbear {
namespace {

constexpr absl::Time kStart = absl::UnixEpoch();
constexpr absl::Time kForever = absl::InfiniteFuture();

// A fixed ceiling of 10, earning 0.1 a call, and nothing with time.
RetryBudgetOptions Plain() {
  RetryBudgetOptions options;
  options.burst_window = absl::ZeroDuration();
  options.floor = 0;
  return options;
}

RetryBudgetOptions Throttle(double max_tokens, double token_ratio) {
  RetryBudgetOptions options;
  options.rule = RetryBudgetOptions::Rule::kThrottle;
  options.max_tokens = max_tokens;
  options.token_ratio = token_ratio;
  return options;
}

int SpendAll(RetryBudget* budget, absl::Time now) {
  int spent = 0;
  while (budget->TrySpend(now)) ++spent;
  return spent;
}

void StartCalls(RetryBudget* budget, int calls, absl::Time now) {
  for (int i = 0; i < calls; ++i) budget->CallStarted(now);
}

TEST(RetryBudgetTest, HasTheDefaultsThatItsHeaderPromises) {
  const RetryBudgetOptions options;
  EXPECT_EQ(options.rule, RetryBudgetOptions::Rule::kRatio);
  EXPECT_EQ(options.ratio, 0.1);
  EXPECT_EQ(options.ceiling, 10);
  EXPECT_EQ(options.burst_window, absl::Seconds(1));
  EXPECT_EQ(options.floor, 0.1);
  EXPECT_EQ(options.max_tokens, 10);
  EXPECT_EQ(options.token_ratio, 0.1);
  EXPECT_EQ(options.Validate(), absl::OkStatus());
}

TEST(RetryBudgetTest, StartsFull) {
  const RetryBudget budget(RetryBudgetOptions(), kStart);
  EXPECT_EQ(budget.Balance(kStart), 10);
  EXPECT_EQ(budget.Capacity(kStart), 10);
}

TEST(RetryBudgetTest, SpendsWholeRetriesUntilLessThanOneIsLeft) {
  RetryBudget budget(Plain(), kStart);
  EXPECT_EQ(SpendAll(&budget, kStart), 10);
  EXPECT_EQ(budget.Balance(kStart), 0);
  StartCalls(&budget, 9, kStart);
  EXPECT_FALSE(budget.MaySpend(kStart));
  EXPECT_FALSE(budget.TrySpend(kStart));
  EXPECT_EQ(budget.Balance(kStart), 0.9);
  budget.CallStarted(kStart);
  EXPECT_TRUE(budget.MaySpend(kStart));
  EXPECT_TRUE(budget.TrySpend(kStart));
  EXPECT_EQ(budget.Balance(kStart), 0);
}

TEST(RetryBudgetTest, LooksWithoutTaking) {
  const RetryBudget budget(Plain(), kStart);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(budget.MaySpend(kStart));
  EXPECT_EQ(budget.Balance(kStart), 10);
}

TEST(RetryBudgetTest, AddsFractionsUpExactly) {
  for (double ratio : {0.001, 0.07, 0.1, 0.29, 0.34, 0.7}) {
    RetryBudgetOptions options = Plain();
    options.ratio = ratio;
    options.ceiling = 1000;
    RetryBudget budget(options, kStart);
    SpendAll(&budget, kStart);
    StartCalls(&budget, 1000, kStart);
    EXPECT_EQ(budget.Balance(kStart), std::round(ratio * 1000)) << ratio;
  }
}

// Each call may be retried three times; the first call's earning is lost,
// since the bucket is full.
TEST(RetryBudgetTest, BoundsTheRetriesOfAThousandFailingCalls) {
  const std::pair<double, int> kCases[] = {
      {0.1, 109}, {0.2, 209}, {0.34, 349}, {0.6, 609}};
  for (const auto& [ratio, allowed] : kCases) {
    RetryBudgetOptions options = Plain();
    options.ratio = ratio;
    RetryBudget budget(options, kStart);
    int retries = 0;
    int refused = 0;
    for (int call = 0; call < 1000; ++call) {
      budget.CallStarted(kStart);
      int more = 3;
      while (more > 0 && budget.TrySpend(kStart)) --more;
      retries += 3 - more;
      if (more > 0) ++refused;
    }
    EXPECT_EQ(retries, allowed) << ratio;
    EXPECT_LE(retries, ratio * 1000 + options.ceiling);
    if (ratio == 0.1) {
      EXPECT_EQ(refused, 997);
    }
  }
}

TEST(RetryBudgetTest, HoldsWhatAThousandConcurrentCallsEarnedInASecond) {
  RetryBudgetOptions options;
  options.ratio = 0.2;
  RetryBudget budget(options, kStart);
  StartCalls(&budget, 1000, kStart);
  EXPECT_EQ(budget.Capacity(kStart), 200);
  EXPECT_EQ(SpendAll(&budget, kStart + absl::Milliseconds(10)), 200);
}

TEST(RetryBudgetTest, ForgetsABurstAfterItsWindow) {
  for (double floor : {0.0, 0.1}) {
    RetryBudgetOptions options;
    options.floor = floor;
    RetryBudget budget(options, kStart);
    StartCalls(&budget, 1000, kStart);
    const absl::Time last = kStart + absl::Seconds(1) - absl::Nanoseconds(1);
    EXPECT_EQ(budget.Balance(last), 100);
    EXPECT_EQ(budget.Capacity(last), 100);
    const absl::Time after = kStart + absl::Seconds(1);
    EXPECT_EQ(budget.Balance(after), 10);
    EXPECT_EQ(budget.Capacity(after), 10);
    EXPECT_EQ(SpendAll(&budget, after), 10);
    EXPECT_EQ(budget.Balance(after), 0);
  }
}

TEST(RetryBudgetTest, DoesNotRememberABurstThatItForgot) {
  RetryBudget budget(RetryBudgetOptions(), kStart);
  StartCalls(&budget, 1000, kStart);
  EXPECT_EQ(budget.Balance(kStart), 100);
  // Nobody looked until long after. The next burst is worth 15 of its own.
  const absl::Time later = kStart + absl::Minutes(1);
  StartCalls(&budget, 150, later);
  EXPECT_EQ(budget.Balance(later), 15);
}

TEST(RetryBudgetTest, KeepsItsCeilingWithoutAWindow) {
  RetryBudget budget(Plain(), kStart);
  StartCalls(&budget, 10'000, kStart);
  EXPECT_EQ(budget.Balance(kStart), 10);
  EXPECT_EQ(budget.Capacity(kStart), 10);
}

TEST(RetryBudgetTest, LetsAQuietClientRetryOnceInTenSeconds) {
  RetryBudget budget(RetryBudgetOptions(), kStart);
  EXPECT_EQ(SpendAll(&budget, kStart), 10);
  absl::Time now = kStart + absl::Seconds(10) - absl::Nanoseconds(1);
  EXPECT_FALSE(budget.TrySpend(now));
  now += absl::Nanoseconds(1);
  EXPECT_TRUE(budget.TrySpend(now));
  EXPECT_FALSE(budget.TrySpend(now));
}

TEST(RetryBudgetTest, LosesNoFractionOfItsFloorHoweverOftenItIsAsked) {
  RetryBudgetOptions options = Plain();
  options.floor = 0.001;
  RetryBudget budget(options, kStart);
  SpendAll(&budget, kStart);
  absl::Time now = kStart;
  for (int i = 1; i < 100'000; ++i) {
    now += absl::Milliseconds(10);
    ASSERT_FALSE(budget.TrySpend(now)) << i;
  }
  EXPECT_EQ(budget.Balance(now), 0.999);
  EXPECT_TRUE(budget.TrySpend(now + absl::Milliseconds(10)));
}

TEST(RetryBudgetTest, LosesTheFloorOfTheTimeThatItSpentFull) {
  RetryBudget budget(RetryBudgetOptions(), kStart);
  const absl::Time later = kStart + absl::Hours(24);
  EXPECT_EQ(budget.Balance(later), 10);
  EXPECT_EQ(SpendAll(&budget, later), 10);
  EXPECT_EQ(SpendAll(&budget, later + absl::Seconds(9)), 0);
  EXPECT_EQ(SpendAll(&budget, later + absl::Seconds(10)), 1);
}

TEST(RetryBudgetTest, GivesNoFloorTwiceWhenTimeGoesBackwards) {
  RetryBudget budget(RetryBudgetOptions(), kStart);
  SpendAll(&budget, kStart);
  const absl::Time later = kStart + absl::Seconds(30);
  EXPECT_EQ(SpendAll(&budget, later), 3);
  for (absl::Time earlier :
       {kStart, kStart - absl::Hours(1), absl::InfinitePast(), later}) {
    EXPECT_EQ(budget.Balance(earlier), 0);
    EXPECT_FALSE(budget.TrySpend(earlier));
  }
  EXPECT_EQ(SpendAll(&budget, later + absl::Seconds(10)), 1);
}

TEST(RetryBudgetTest, KeepsABurstThatALateThreadCouldNotSee) {
  RetryBudget budget(RetryBudgetOptions(), kStart);
  const absl::Time next_slot = kStart + absl::Milliseconds(125);
  StartCalls(&budget, 1000, next_slot);
  EXPECT_EQ(budget.Balance(next_slot), 100);
  budget.CallStarted(next_slot - absl::Nanoseconds(1));
  EXPECT_EQ(budget.Balance(next_slot), 100.1);
}

TEST(RetryBudgetTest, SurvivesTheEndsOfTime) {
  RetryBudget budget(RetryBudgetOptions(), kStart);
  for (absl::Time now : {kForever, absl::InfinitePast(), kForever}) {
    budget.CallStarted(now);
    EXPECT_EQ(budget.Balance(now), 10);
    EXPECT_TRUE(budget.TrySpend(now));
    budget.Refund();
    EXPECT_EQ(budget.Balance(now), 10);
  }
}

TEST(RetryBudgetTest, TakesBackNoMoreThanItHolds) {
  RetryBudget budget(Plain(), kStart);
  budget.Refund();
  EXPECT_EQ(budget.Balance(kStart), 10);
  EXPECT_TRUE(budget.TrySpend(kStart));
  StartCalls(&budget, 5, kStart);
  EXPECT_EQ(budget.Balance(kStart), 9.5);
  budget.Refund();
  EXPECT_EQ(budget.Balance(kStart), 10);
}

TEST(RetryBudgetTest, DoesNotCareHowAttemptsEndUnderItsOwnRule) {
  RetryBudget budget(Plain(), kStart);
  EXPECT_TRUE(budget.TrySpend(kStart));
  budget.AttemptFailed();
  budget.AttemptSucceeded();
  EXPECT_EQ(budget.Balance(kStart), 9);
}

TEST(RetryBudgetTest, NeverRetriesWithNothingToEarnAndNothingToHold) {
  RetryBudgetOptions options = Plain();
  options.ratio = 0;
  options.ceiling = 0;
  RetryBudget budget(options, kStart);
  budget.CallStarted(kStart);
  budget.Refund();
  EXPECT_FALSE(budget.TrySpend(kForever));
}

// The same bucket, written plainly: every millisecond is lived through, and
// the capacity is what was earned in the slots that the window covers whole.
class LivedBudget {
 public:
  void Tick() {
    ++now_;
    while (!earned_.empty() && earned_.front().first / 10 <= now_ / 10 - 8) {
      earned_.pop_front();
    }
    balance_ = std::min(balance_, Capacity());
    balance_ = std::min(balance_ + 1, Capacity());  // Floor: 1 a second.
  }
  void CallStarted() {
    earned_.emplace_back(now_, 300);
    balance_ = std::min(balance_ + 300, Capacity());
  }
  bool TrySpend() {
    if (balance_ < 1000) return false;
    balance_ -= 1000;
    return true;
  }
  int64_t Capacity() const {
    int64_t earned = 0;
    for (const auto& entry : earned_) earned += entry.second;
    return std::max<int64_t>(earned, 2000);
  }
  int64_t balance() const { return balance_; }

 private:
  int64_t now_ = 0;
  int64_t balance_ = 2000;
  std::deque<std::pair<int64_t, int64_t>> earned_;
};

TEST(RetryBudgetTest, IsWhatLivingThroughEveryMillisecondWouldMakeOfIt) {
  RetryBudgetOptions options;
  options.ratio = 0.3;
  options.ceiling = 2;
  options.burst_window = absl::Milliseconds(80);
  options.floor = 1;
  RetryBudget budget(options, kStart);
  LivedBudget lived;
  SplitMix64 chance(1);
  absl::Time now = kStart;
  int spent = 0;
  for (int i = 0; i < 20'000; ++i) {
    // Some rush, some crowd, some silence.
    for (uint64_t ms = chance() % 8 == 0 ? chance() % 300 : chance() % 4;
         ms > 0; --ms) {
      now += absl::Milliseconds(1);
      lived.Tick();
    }
    for (uint64_t calls = chance() % 8 == 0 ? chance() % 30 : 0; calls > 0;
         --calls) {
      budget.CallStarted(now);
      lived.CallStarted();
    }
    if (chance() % 2 == 0) {
      const bool yes = lived.TrySpend();
      ASSERT_EQ(budget.MaySpend(now), yes) << i;
      ASSERT_EQ(budget.TrySpend(now), yes) << i;
      spent += yes ? 1 : 0;
    }
    ASSERT_EQ(std::llround(budget.Balance(now) * 1000), lived.balance()) << i;
    ASSERT_EQ(std::llround(budget.Capacity(now) * 1000), lived.Capacity()) << i;
  }
  EXPECT_GT(spent, 1000);
}

// gRFC A6: F3+ is a failure that leaves 3 tokens and may retry.
TEST(RetryThrottleTest, CountsTokensAsGrpcDoes) {
  RetryBudget budget(Throttle(4, 1.6), kStart);
  const std::pair<double, char> kSteps[] = {
      {3, '+'},   {4, 'S'},   {3, '+'},   {2, '-'},   {1, '-'},
      {0, '-'},   {0, '-'},   {1.6, 'S'}, {3.2, 'S'}, {2.2, '+'},
      {1.2, '-'}, {2.8, 'S'}, {1.8, '-'}, {3.4, 'S'}, {2.4, '+'}};
  for (const auto& [tokens, what] : kSteps) {
    if (what == 'S') {
      budget.AttemptSucceeded();
    } else {
      budget.AttemptFailed();
      EXPECT_EQ(budget.MaySpend(kStart), what == '+') << tokens;
      EXPECT_EQ(budget.TrySpend(kStart), what == '+') << tokens;
    }
    EXPECT_EQ(budget.Balance(kStart), tokens);
  }
}

TEST(RetryThrottleTest, StopsAtHalfOfItsTokens) {
  RetryBudget budget(Throttle(10, 0.1), kStart);
  for (double tokens : {9, 8, 7, 6}) {
    budget.AttemptFailed();
    EXPECT_EQ(budget.Balance(kStart), tokens);
    EXPECT_TRUE(budget.TrySpend(kStart));
  }
  budget.AttemptFailed();
  EXPECT_EQ(budget.Balance(kStart), 5);
  EXPECT_FALSE(budget.TrySpend(kStart));
  budget.AttemptSucceeded();
  EXPECT_EQ(budget.Balance(kStart), 5.1);
  EXPECT_TRUE(budget.TrySpend(kStart));
}

TEST(RetryThrottleTest, TakesATokenRatioOfOneForOne) {
  RetryBudget budget(Throttle(10, 1), kStart);
  budget.AttemptFailed();
  budget.AttemptFailed();
  budget.AttemptSucceeded();
  EXPECT_EQ(budget.Balance(kStart), 9);
}

TEST(RetryThrottleTest, DoesNotLookAtCallsTimeOrRefunds) {
  RetryBudget budget(Throttle(10, 1), kStart);
  budget.AttemptFailed();
  budget.CallStarted(kStart);
  budget.Refund();
  EXPECT_EQ(budget.Balance(kForever), 9);
  EXPECT_EQ(budget.Capacity(kForever), 10);
}

TEST(RetryBudgetReloadTest, StartsAsFullInProportion) {
  RetryBudget old(Throttle(4, 1), kStart);
  old.AttemptFailed();
  RetryBudget reloaded(Throttle(10, 1), old, kStart);
  EXPECT_EQ(reloaded.Balance(kStart), 7.5);
}

TEST(RetryBudgetReloadTest, CountsTheBurstThatTheOldOneHeld) {
  RetryBudget old(RetryBudgetOptions(), kStart);
  StartCalls(&old, 1000, kStart);
  for (int i = 0; i < 50; ++i) old.TrySpend(kStart);
  ASSERT_EQ(old.Balance(kStart), 50);
  ASSERT_EQ(old.Capacity(kStart), 100);
  EXPECT_EQ(RetryBudget(Plain(), old, kStart).Balance(kStart), 5);
  EXPECT_EQ(RetryBudget(Throttle(8, 1), old, kStart).Balance(kStart), 4);
}

TEST(RetryBudgetReloadTest, CountsTheFloorFromTheReloadOn) {
  RetryBudget old(Plain(), kStart);
  SpendAll(&old, kStart);
  const absl::Time later = kStart + absl::Hours(1);
  RetryBudget reloaded(RetryBudgetOptions(), old, later);
  EXPECT_EQ(reloaded.Balance(later), 0);
  EXPECT_EQ(reloaded.Balance(later + absl::Seconds(10)), 1);
}

TEST(RetryBudgetReloadTest, StartsFullAfterABucketThatHeldNothing) {
  RetryBudgetOptions nothing = Plain();
  nothing.ceiling = 0;
  const RetryBudget old(nothing, kStart);
  EXPECT_EQ(RetryBudget(Plain(), old, kStart).Balance(kStart), 10);
}

TEST(RetryBudgetsTest, AllowEverythingWithoutBuckets) {
  const RetryBudgets none;
  none.CallStarted(kStart);
  none.AttemptFailed();
  none.AttemptSucceeded();
  none.Refund();
  EXPECT_TRUE(none.MaySpend(kStart));
  EXPECT_TRUE(none.TrySpend(kStart));
  EXPECT_EQ(none.Balance(kStart), std::numeric_limits<double>::infinity());
}

TEST(RetryBudgetsTest, ChargeBothOrNeither) {
  RetryBudgetOptions small = Plain();
  small.ceiling = 1;
  for (bool target_is_small : {false, true}) {
    RetryBudget target(target_is_small ? small : Plain(), kStart);
    RetryBudget process(target_is_small ? Plain() : small, kStart);
    const RetryBudgets both = {&target, &process};
    EXPECT_EQ(both.Balance(kStart), 1);
    EXPECT_TRUE(both.TrySpend(kStart));
    EXPECT_FALSE(both.MaySpend(kStart));
    EXPECT_FALSE(both.TrySpend(kStart));
    EXPECT_EQ(target.Balance(kStart), target_is_small ? 0 : 9);
    EXPECT_EQ(process.Balance(kStart), target_is_small ? 9 : 0);
    EXPECT_EQ(both.Balance(kStart), 0);
    both.Refund();
    EXPECT_EQ(target.Balance(kStart), target_is_small ? 1 : 10);
    EXPECT_EQ(process.Balance(kStart), target_is_small ? 10 : 1);
  }
}

TEST(RetryBudgetsTest, ReportToBoth) {
  RetryBudget target(Throttle(10, 1), kStart);
  RetryBudget process(Throttle(20, 2), kStart);
  const RetryBudgets both = {&target, &process};
  for (int i = 0; i < 4; ++i) both.AttemptFailed();
  both.AttemptSucceeded();
  EXPECT_EQ(target.Balance(kStart), 7);
  EXPECT_EQ(process.Balance(kStart), 18);

  RetryBudget earning(Plain(), kStart);
  SpendAll(&earning, kStart);
  RetryBudgets{&earning, nullptr}.CallStarted(kStart);
  RetryBudgets{nullptr, &earning}.CallStarted(kStart);
  EXPECT_EQ(earning.Balance(kStart), 0.2);
}

// Healthy traffic to one target does not pay for the outage of another.
TEST(RetryBudgetsTest, KeepOneTargetsOutageFromAnother) {
  RetryBudgetOptions large = Plain();
  large.ceiling = 100;
  RetryBudget down(Plain(), kStart);
  RetryBudget healthy(Plain(), kStart);
  RetryBudget process(large, kStart);
  while (RetryBudgets{&down, &process}.TrySpend(kStart)) continue;
  EXPECT_EQ(process.Balance(kStart), 90);
  EXPECT_TRUE((RetryBudgets{&healthy, &process}.TrySpend(kStart)));
}

absl::Status Refused(const std::string& message) {
  return absl::InvalidArgumentError(message);
}

absl::Status With(double RetryBudgetOptions::*field, double value) {
  RetryBudgetOptions options;
  options.*field = value;
  return options.Validate("budget.");
}

TEST(RetryBudgetOptionsTest, AcceptsTheEndsOfEveryRange) {
  using O = RetryBudgetOptions;
  const std::pair<double O::*, double> kEnds[] = {{&O::ratio, 0},
                                                  {&O::ratio, 0.001},
                                                  {&O::ratio, 1000},
                                                  {&O::ceiling, 0},
                                                  {&O::ceiling, 1'000'000},
                                                  {&O::floor, 0},
                                                  {&O::floor, 1000},
                                                  {&O::max_tokens, 0.001},
                                                  {&O::max_tokens, 1000},
                                                  {&O::token_ratio, 0.001},
                                                  {&O::token_ratio, 1'000'000}};
  for (const auto& [field, value] : kEnds) {
    EXPECT_EQ(With(field, value), absl::OkStatus());
  }
  for (absl::Duration window :
       {absl::ZeroDuration(), absl::Milliseconds(1), absl::Hours(1)}) {
    O options;
    options.burst_window = window;
    EXPECT_EQ(options.Validate(), absl::OkStatus());
  }
}

TEST(RetryBudgetOptionsTest, AcceptsEveryWholeThousandth) {
  for (int thousandths = 0; thousandths <= 100'000; ++thousandths) {
    ASSERT_EQ(With(&RetryBudgetOptions::ratio, thousandths / 1000.0),
              absl::OkStatus());
  }
}

TEST(RetryBudgetOptionsTest, NamesTheFieldTheValueAndTheRange) {
  using O = RetryBudgetOptions;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(With(&O::ratio, 0.0625),
            Refused("budget.ratio: 0.0625 is out of range [0, 1000] in "
                    "thousandths"));
  EXPECT_EQ(With(&O::ratio, -0.1),
            Refused("budget.ratio: -0.1 is out of range [0, 1000] in "
                    "thousandths"));
  EXPECT_EQ(With(&O::ratio, nan),
            Refused("budget.ratio: nan is out of range [0, 1000] in "
                    "thousandths"));
  EXPECT_EQ(With(&O::ceiling, inf),
            Refused("budget.ceiling: inf is out of range [0, 1000000] in "
                    "thousandths"));
  EXPECT_EQ(With(&O::ceiling, 1'000'001),
            Refused("budget.ceiling: 1000001 is out of range [0, 1000000] in "
                    "thousandths"));
  EXPECT_EQ(With(&O::floor, 1000.001),
            Refused("budget.floor: 1000.001 is out of range [0, 1000] in "
                    "thousandths"));
  EXPECT_EQ(With(&O::max_tokens, 0),
            Refused("budget.max_tokens: 0 is out of range (0, 1000] in "
                    "thousandths"));
  EXPECT_EQ(With(&O::max_tokens, 2000),
            Refused("budget.max_tokens: 2000 is out of range (0, 1000] in "
                    "thousandths"));
  EXPECT_EQ(With(&O::token_ratio, 0),
            Refused("budget.token_ratio: 0 is out of range (0, 1000000] in "
                    "thousandths"));
}

TEST(RetryBudgetOptionsTest, RefusesABurstWindowOutOfRange) {
  RetryBudgetOptions options;
  options.burst_window = absl::Microseconds(999);
  EXPECT_EQ(options.Validate(),
            Refused("burst_window: 999us is out of range 0 or [1ms, 1h]"));
  options.burst_window = absl::InfiniteDuration();
  EXPECT_EQ(options.Validate(),
            Refused("burst_window: inf is out of range 0 or [1ms, 1h]"));
  options.burst_window = -absl::Seconds(1);
  EXPECT_EQ(options.Validate(),
            Refused("burst_window: -1s is out of range 0 or [1ms, 1h]"));
}

}  // namespace
}  // namespace forbear
