// The published figures of the lab, exactly, and how its parts answer to other
// plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "examples/lab/budget.h"
#include "examples/lab/deadline.h"
#include "examples/lab/herd.h"
#include "examples/lab/layers.h"
#include "examples/lab/payment.h"
#include "examples/lab/tables.h"
#include "examples/lab/timers.h"

namespace lab {
namespace {

using forbear::Jitter;
using forbear::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::Duration Ms(int64_t ms) { return absl::Milliseconds(ms); }

MATCHER_P4(IsHerd, calls, refused, busiest, finished_ms, "") {
  *result_listener << arg.calls << " " << arg.refused << " " << arg.busiest
                   << " " << arg.finished;
  return arg.calls == calls && arg.refused == refused &&
         arg.busiest == busiest && arg.finished == Ms(finished_ms);
}

MATCHER_P4(IsMeanHerd, calls, busiest, finished_ms, refused, "") {
  *result_listener << arg.calls_tenths << " " << arg.busiest_tenths << " "
                   << arg.finished << " " << arg.refused_tenths;
  return arg.calls_tenths == calls && arg.busiest_tenths == busiest &&
         arg.finished == Ms(finished_ms) && arg.refused_tenths == refused;
}

TEST(HerdFiguresTest, Seed7GivesThePublishedOnes) {
  const HerdPlan plan;
  const auto run = [&](Jitter jitter) { return RunHerd(plan, jitter, 7); };
  EXPECT_THAT(run(Jitter::kNone), IsHerd(550, 450, 90, 15'900));
  EXPECT_THAT(run(Jitter::kFull), IsHerd(406, 306, 53, 2'067));
  EXPECT_THAT(run(Jitter::kEqual), IsHerd(394, 294, 69, 2'647));
  EXPECT_THAT(run(Jitter::kDecorrelated), IsHerd(281, 181, 48, 1'850));
}

TEST(HerdFiguresTest, TwentySeedsGiveThePublishedMeans) {
  const HerdPlan plan;
  const auto mean = [&](Jitter jitter) { return MeanHerd(plan, jitter); };
  EXPECT_THAT(mean(Jitter::kNone), IsMeanHerd(5500, 900, 15'900, 4500));
  EXPECT_THAT(mean(Jitter::kFull), IsMeanHerd(4081, 561, 2'285, 3081));
  EXPECT_THAT(mean(Jitter::kEqual), IsMeanHerd(3914, 664, 2'418, 2914));
  EXPECT_THAT(mean(Jitter::kDecorrelated), IsMeanHerd(2792, 507, 1'693, 1792));
}

TEST(HerdFiguresTest, OneClientIsAcceptedAtOnce) {
  HerdPlan plan;
  plan.clients = 1;
  EXPECT_THAT(RunHerd(plan, Jitter::kFull, 7), IsHerd(1, 0, 0, 0));
}

// Without jitter all come back together: 4 clients at 2 a window, twice.
TEST(HerdFiguresTest, FollowsThePlan) {
  HerdPlan plan;
  plan.clients = 4;
  plan.accept = 2;
  plan.base = Ms(300);
  plan.cap = Ms(300);
  plan.window = Ms(50);
  EXPECT_THAT(RunHerd(plan, Jitter::kNone, 7), IsHerd(6, 2, 2, 300));
  plan.window = Ms(301);  // 300 ms are still in the first.
  EXPECT_THAT(RunHerd(plan, Jitter::kNone, 7), IsHerd(8, 4, 2, 600));
}

TEST(HerdFiguresTest, AMeanIsRoundedHalfUp) {
  HerdPlan plan;
  plan.runs = 1;
  const HerdFigures one = RunHerd(plan, Jitter::kFull, 1);
  plan.runs = 2;
  const HerdFigures two = RunHerd(plan, Jitter::kFull, 2);
  const int64_t finished =
      absl::ToInt64Milliseconds(one.finished + two.finished);
  EXPECT_THAT(
      MeanHerd(plan, Jitter::kFull),
      IsMeanHerd((one.calls + two.calls) * 5, (one.busiest + two.busiest) * 5,
                 (finished + 1) / 2, (one.refused + two.refused) * 5));
}

TEST(LayersFiguresTest, MultiplyUnlessALayerSaysThatItGaveUp) {
  std::vector<int> bare;
  std::vector<int> told;
  for (const Stack& stack : kStacks) {
    bare.push_back(AttemptsReaching(stack, Signal::kOff));
    told.push_back(AttemptsReaching(stack, Signal::kOn));
  }
  EXPECT_THAT(bare, ElementsAre(1, 4, 27, 64, 81, 243));
  EXPECT_THAT(told, ElementsAre(1, 4, 3, 4, 3, 3));
}

MATCHER_P3(IsBudget, attempts, allowed, refused, "") {
  *result_listener << arg.attempts << " " << arg.allowed << " " << arg.refused;
  return arg.attempts == attempts && arg.allowed == allowed &&
         arg.refused == refused;
}

TEST(BudgetFiguresTest, ABucketBoundsWhatRetriesAdd) {
  const forbear::RetryBudgetOptions bucket = SmallBucket();
  EXPECT_THAT(RunRequests(nullptr), IsBudget(4'000, 3'000, 0));
  EXPECT_THAT(RunRequests(&bucket), IsBudget(1'109, 109, 997));
}

TEST(DeadlineFiguresTest, TheThirdAttemptGetsWhatIsLeftAndSucceeds) {
  const forbear::CallTrace trace = RunCase(kDeadlineCases[0]);
  EXPECT_THAT(trace.attempts, ElementsAre(Ms(0), Ms(839), Ms(1'642)));
  EXPECT_THAT(trace.times, ElementsAre(Ms(800), Ms(800), Ms(358)));
  EXPECT_THAT(trace.waits, ElementsAre(Ms(39), Ms(3)));
  EXPECT_EQ(trace.verdict, Verdict::kSucceeded);
  EXPECT_EQ(trace.elapsed, Ms(1'842));
}

TEST(DeadlineFiguresTest, TheDeadlineEndsACallThatIsAlwaysSlow) {
  const forbear::CallTrace trace = RunCase(kDeadlineCases[1]);
  EXPECT_EQ(trace.attempts.size(), 3u);
  EXPECT_EQ(trace.verdict, Verdict::kDeadline);
  EXPECT_EQ(trace.elapsed, Ms(2'000));
}

TEST(DeadlineFiguresTest, APermanentErrorEndsTheCallAtOnce) {
  const forbear::CallTrace trace = RunCase(kDeadlineCases[2]);
  EXPECT_THAT(trace.attempts, ElementsAre(Ms(0)));
  EXPECT_EQ(trace.verdict, Verdict::kPermanent);
  EXPECT_EQ(trace.elapsed, Ms(10));
}

TEST(DeadlineFiguresTest, APushbackPastTheDeadlineEndsTheCallAtOnce) {
  const forbear::CallTrace trace = RunCase(kDeadlineCases[3]);
  EXPECT_THAT(trace.attempts, ElementsAre(Ms(0)));
  EXPECT_THAT(trace.waits, IsEmpty());
  EXPECT_EQ(trace.verdict, Verdict::kDeadlineTooClose);
  EXPECT_EQ(trace.elapsed, Ms(10));
}

TEST(PaymentFiguresTest, ARetryWithoutAKeyChargesTwice) {
  const PaymentFigures figures = RunPayment(PaymentManner::kWithoutKey);
  EXPECT_EQ(figures.charged, 2);
  EXPECT_EQ(figures.verdict, Verdict::kSucceeded);
}

TEST(PaymentFiguresTest, ARetryWithAKeyChargesOnce) {
  const PaymentFigures figures = RunPayment(PaymentManner::kWithKey);
  EXPECT_EQ(figures.attempts, 2);
  EXPECT_EQ(figures.charged, 1);
  EXPECT_EQ(figures.verdict, Verdict::kSucceeded);
}

TEST(PaymentFiguresTest, WhereNothingIsSaidNothingIsRepeated) {
  const PaymentFigures figures = RunPayment(PaymentManner::kUnsaid);
  EXPECT_EQ(figures.attempts, 1);
  EXPECT_EQ(figures.charged, 1);
  EXPECT_EQ(figures.verdict, Verdict::kNotRepeatable);
  EXPECT_TRUE(figures.outcome_unknown);
}

TEST(TimersFiguresTest, SpreadingFlattensWhatCameAtOnce) {
  EXPECT_EQ(BusiestOfFleet(Timing::kTogether), 1'000);
  EXPECT_EQ(BusiestOfFleet(Timing::kSpread), 9);
  EXPECT_EQ(BusiestOfSweep(Timing::kTogether), 2'000);
  EXPECT_EQ(BusiestOfSweep(Timing::kSpread), 20);
}

TEST(TablesTest, ShowWhatWasFound) {
  const std::string tables = Tables(MakeReport(HerdPlan()));
  EXPECT_THAT(
      tables,
      HasSubstr("\nfull                   406       306        53         2,067"
                "\n"));
  EXPECT_THAT(
      tables,
      HasSubstr("\ndecorrelated         279.2     179.2      50.7         1,693"
                "\n"));
  EXPECT_THAT(tables, HasSubstr("\n3 layers of 3 retries                 64"));
  EXPECT_THAT(tables, HasSubstr("ends at     1,842: succeeded\n"));
}

}  // namespace
}  // namespace lab
