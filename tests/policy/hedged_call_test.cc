// The engine's hedges: attempts sent while others are under way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/retry_call.h"
#include "interceptors/policy/verdict.h"
#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/pinned_chance.h"
#include "interceptors/testing/scripted_callee.h"
#include "interceptors/testing/simulated_call.h"

namespace forbear {
namespace {

using absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::Duration kForever = absl::InfiniteDuration();
constexpr absl::Duration kNone = absl::ZeroDuration();
constexpr absl::Duration Ms(int64_t ms) { return absl::Milliseconds(ms); }

// A bucket that does not change with time.
RetryBudgetOptions Plain(double ceiling) {
  RetryBudgetOptions options;
  options.ceiling = ceiling;
  options.burst_window = absl::ZeroDuration();
  options.floor = 0;
  return options;
}

Reply Unavailable(absl::Duration latency) {
  return Fail(StatusCode::kUnavailable, latency);
}

Reply With(Pushback::Kind kind, absl::Duration delay, Reply reply) {
  reply.end.pushback = {kind, delay};
  return reply;
}

Reply NotApplied(Reply reply) {
  reply.end.not_applied = true;
  return reply;
}

// A read of three attempts, 20 ms apart.
class HedgedCallTest : public ::testing::Test {
 protected:
  HedgedCallTest() {
    call_.policy.hedging.max_attempts = 3;
    call_.policy.hedging.delay = Ms(20);
    call_.facts.reads = true;
    call_.budgets = {&target_, &process_, &cap_};
  }

  Verdict Call(std::vector<Reply> script) {
    trace_ =
        RunCall(clock_, chance_, call_, Scripted(clock_, std::move(script)));
    EXPECT_TRUE(trace_.finished);
    return trace_.verdict;
  }
  MethodPolicy& policy() { return call_.policy; }
  HedgingOptions& hedging() { return call_.policy.hedging; }
  double Left(const RetryBudget& budget) {
    return budget.Balance(clock_.Now());
  }

  ManualClock clock_;
  PinnedChance chance_ = PinnedChance::Top();
  RetryBudget target_{Plain(10), clock_.Now()};
  RetryBudget process_{Plain(10), clock_.Now()};
  RetryBudget cap_{Plain(10), clock_.Now()};
  SimulatedCall call_;
  CallTrace trace_;
};

// --- When the next attempt goes out ---

TEST_F(HedgedCallTest, SendsASecondAttemptWhenTheFirstIsLate) {
  EXPECT_EQ(Call({Succeed(Ms(500)), Succeed(Ms(10))}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(20)));
  EXPECT_THAT(trace_.hedges, ElementsAre(2));
  EXPECT_EQ(trace_.elapsed, Ms(30));
  EXPECT_EQ(trace_.answered, 2);
  EXPECT_EQ(trace_.cancelled, 1);
  EXPECT_EQ(Left(target_), 9);
  EXPECT_EQ(Left(process_), 9);
  EXPECT_EQ(Left(cap_), 9);
}

TEST_F(HedgedCallTest, SendsNothingMoreWhenTheFirstAnswersInTime) {
  EXPECT_EQ(Call({Succeed(Ms(19))}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
  EXPECT_EQ(trace_.cancelled, 0);
  EXPECT_EQ(Left(target_), 10);
  EXPECT_EQ(Left(cap_), 10);
}

TEST_F(HedgedCallTest, StillTakesTheAnswerOfTheFirst) {
  EXPECT_EQ(Call({Succeed(Ms(45)), Succeed(Ms(500))}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(20), Ms(40)));
  EXPECT_THAT(trace_.hedges, ElementsAre(2, 3));
  EXPECT_EQ(trace_.answered, 1);
  EXPECT_EQ(trace_.cancelled, 2);
  EXPECT_EQ(trace_.elapsed, Ms(45));
}

TEST_F(HedgedCallTest, SendsAllAtOnceWithoutADelay) {
  hedging().delay = kNone;
  EXPECT_EQ(Call({Succeed(Ms(30)), Succeed(Ms(10)), Succeed(Ms(20))}),
            Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, kNone, kNone));
  EXPECT_EQ(trace_.answered, 2);
}

TEST_F(HedgedCallTest, SaysWithEachAttemptWhenTheNextIsDue) {
  RetryCall call(policy(), call_.budgets, call_.facts);
  const absl::Time now = clock_.Now();
  const Step first = call.Start(now, now + Ms(500), absl::InfiniteFuture());
  EXPECT_TRUE(first.start);
  EXPECT_FALSE(first.hedge);
  EXPECT_EQ(first.wake_at, now + Ms(20));
  const Step second = call.TimerFired(now + Ms(20));
  EXPECT_TRUE(second.start);
  EXPECT_TRUE(second.hedge);
  EXPECT_EQ(second.attempt, 2);
  EXPECT_EQ(second.time, Ms(480));
  EXPECT_EQ(second.wake_at, now + Ms(40));
  const Step third = call.TimerFired(now + Ms(40));
  EXPECT_EQ(third.attempt, 3);
  EXPECT_EQ(third.wake_at, absl::InfiniteFuture());
}

TEST_F(HedgedCallTest, WaitsForWhatIsMeasuredAndTheDelayAtLeast) {
  hedging().percentile = 0.95;
  call_.facts.measured = Ms(70);
  Call({Succeed(Ms(500)), Succeed(Ms(10))});
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(70)));
  call_.facts.measured = Ms(7);
  Call({Succeed(Ms(500)), Succeed(Ms(10))});
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(20)));
}

TEST_F(HedgedCallTest, SendsNoneByTimeUntilEnoughIsMeasured) {
  hedging().percentile = 0.95;
  EXPECT_EQ(Call({Succeed(Ms(500))}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
  EXPECT_EQ(Call({Unavailable(Ms(5)), Succeed(Ms(500))}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(5)));
}

// --- Failures ---

TEST_F(HedgedCallTest, SendsTheNextAtOnceAfterAFailureThatMayPass) {
  EXPECT_EQ(Call({Unavailable(Ms(5)), Succeed(Ms(500)), Succeed(Ms(10))}),
            Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(5), Ms(25)));
  EXPECT_THAT(trace_.hedges, ElementsAre(3));
  EXPECT_EQ(trace_.elapsed, Ms(35));
  EXPECT_EQ(trace_.answered, 3);
  EXPECT_EQ(Left(target_), 8);
  EXPECT_EQ(Left(cap_), 9);  // The second was no hedge: nothing was under way.
}

TEST_F(HedgedCallTest, BringsTheNextForwardWhileAnotherIsUnderWay) {
  EXPECT_EQ(Call({Succeed(Ms(500)), Unavailable(Ms(5)), Succeed(Ms(10))}),
            Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(20), Ms(25)));
  EXPECT_THAT(trace_.hedges, ElementsAre(2, 3));
  EXPECT_EQ(trace_.elapsed, Ms(35));
}

TEST_F(HedgedCallTest, EndsWithAFailureThatIsAnAnswer) {
  EXPECT_EQ(Call({Succeed(Ms(500)), Fail(StatusCode::kNotFound, Ms(5))}),
            Verdict::kPermanent);
  EXPECT_EQ(trace_.elapsed, Ms(25));
  EXPECT_EQ(trace_.code, StatusCode::kNotFound);
  EXPECT_EQ(trace_.answered, 2);
  EXPECT_EQ(trace_.cancelled, 1);
}

TEST_F(HedgedCallTest, EndsWhenAllHaveFailedAndNotAtItsDeadline) {
  call_.timeout = absl::Hours(1);
  EXPECT_EQ(
      Call({Unavailable(Ms(100)), Unavailable(Ms(50)), Unavailable(Ms(10))}),
      Verdict::kAttemptsSpent);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(20), Ms(40)));
  EXPECT_EQ(trace_.elapsed, Ms(100));
  EXPECT_EQ(trace_.code, StatusCode::kUnavailable);
  EXPECT_EQ(trace_.answered, 1);
}

TEST_F(HedgedCallTest, MakesTheAttemptsOfItsHedgingNotThoseOfItsRetries) {
  policy().max_attempts = 1;
  EXPECT_EQ(Call({Unavailable(Ms(1))}), Verdict::kAttemptsSpent);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(1), Ms(2)));
  EXPECT_THAT(trace_.waits, IsEmpty());  // No backoff.
}

TEST_F(HedgedCallTest, KnowsThatNothingWasAppliedOnlyOfAttemptsThatEnded) {
  EXPECT_EQ(Call({NotApplied(Unavailable(Ms(1)))}), Verdict::kAttemptsSpent);
  EXPECT_TRUE(trace_.not_applied);
  Reply gone = NotApplied(Fail(StatusCode::kNotFound, Ms(5)));
  EXPECT_EQ(Call({Succeed(Ms(500)), gone}), Verdict::kPermanent);
  EXPECT_FALSE(trace_.not_applied);
}

// --- Pushback ---

TEST_F(HedgedCallTest, MovesTheNextToWhereAPushbackSays) {
  for (const auto kind : {Pushback::Kind::kWait, Pushback::Kind::kAtLeast}) {
    EXPECT_EQ(Call({Succeed(Ms(500)), With(kind, Ms(50), Unavailable(Ms(5))),
                    Succeed(Ms(10))}),
              Verdict::kSucceeded);
    EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(20), Ms(75)));
    EXPECT_EQ(trace_.elapsed, Ms(85));
    EXPECT_EQ(trace_.answered, 3);
  }
}

TEST_F(HedgedCallTest, IsNotBroughtForwardPastAPushback) {
  // The second is asked to wait until 75 ms; the first fails at 30 ms.
  EXPECT_EQ(Call({Unavailable(Ms(30)),
                  With(Pushback::Kind::kWait, Ms(50), Unavailable(Ms(5))),
                  Succeed(Ms(10))}),
            Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(20), Ms(75)));
  EXPECT_THAT(trace_.waits, ElementsAre(Ms(45)));
}

TEST_F(HedgedCallTest, ChargesAWaitWhenItIsScheduledAndIsPaidBack) {
  call_.cancelled = Ms(30);
  EXPECT_EQ(Call({With(Pushback::Kind::kWait, Ms(50), Unavailable(Ms(5)))}),
            Verdict::kCancelled);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
  EXPECT_THAT(trace_.waits, ElementsAre(Ms(50)));
  EXPECT_EQ(Left(target_), 10);
  EXPECT_EQ(Left(process_), 10);
}

TEST_F(HedgedCallTest, SendsNoMoreAfterAPushbackThatSaysNo) {
  const Reply no = With(Pushback::Kind::kRefused, kNone, Unavailable(Ms(5)));
  EXPECT_EQ(Call({Succeed(Ms(500)), no}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(20)));
  EXPECT_EQ(trace_.answered, 1);
  EXPECT_EQ(trace_.elapsed, Ms(500));
  // And ends when what was under way has failed.
  EXPECT_EQ(Call({Unavailable(Ms(100)), no}), Verdict::kRefusedByServer);
  EXPECT_EQ(trace_.elapsed, Ms(100));
  EXPECT_EQ(trace_.attempts.size(), 2u);
  EXPECT_EQ(Call({no}), Verdict::kRefusedByServer);
  EXPECT_EQ(trace_.elapsed, Ms(5));
}

TEST_F(HedgedCallTest, EndsWhenAPushbackAsksForMoreThanTheTimeLeft) {
  call_.timeout = Ms(400);
  EXPECT_EQ(Call({With(Pushback::Kind::kWait, Ms(5000), Unavailable(Ms(5)))}),
            Verdict::kDeadlineTooClose);
  EXPECT_EQ(trace_.elapsed, Ms(5));
}

// --- What a hedge may cost ---

// Takes all that `budget` holds.
void Empty(RetryBudget* budget, absl::Time now) {
  while (budget->TrySpend(now)) continue;
}

TEST_F(HedgedCallTest, AsksEveryBucketAndGoesOnWithoutTheHedge) {
  for (RetryBudget* const empty : {&target_, &process_, &cap_}) {
    RetryBudget* const all[] = {&target_, &process_, &cap_};
    Empty(empty, clock_.Now());
    EXPECT_EQ(Call({Succeed(Ms(500)), Succeed(Ms(10))}), Verdict::kSucceeded);
    EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
    EXPECT_EQ(trace_.elapsed, Ms(500));
    for (RetryBudget* budget : all) {
      // Nothing is charged; the call itself earned.
      EXPECT_EQ(Left(*budget), budget == empty ? 0.1 : 10);
    }
    for (int i = 0; i < 10; ++i) empty->Refund();
  }
}

TEST_F(HedgedCallTest, EndsWithTheFailureWhenTheBudgetAllowsNoOther) {
  Empty(&target_, clock_.Now());
  EXPECT_EQ(Call({Unavailable(Ms(30))}), Verdict::kBudgetSpent);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
  EXPECT_EQ(trace_.elapsed, Ms(30));
}

TEST_F(HedgedCallTest, TriesAgainWithoutTheCapWhenNothingIsUnderWay) {
  Empty(&cap_, clock_.Now());
  EXPECT_EQ(Call({Unavailable(Ms(30)), Succeed(Ms(10))}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(30)));
  EXPECT_THAT(trace_.hedges, IsEmpty());
}

TEST_F(HedgedCallTest, KeepsItsScheduleWhenAHedgeCannotBeBroughtForward) {
  hedging().delay = Ms(20);
  hedging().max_attempts = 4;
  RetryBudget one(Plain(1), clock_.Now());
  call_.budgets = {nullptr, nullptr, &one};
  // The third is wanted at 25 ms, and again at 40: the cap is spent by then.
  EXPECT_EQ(Call({Succeed(Ms(100)), Unavailable(Ms(5)), Succeed(Ms(10))}),
            Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(20)));
  EXPECT_EQ(trace_.elapsed, Ms(100));
}

TEST_F(HedgedCallTest, HedgesNoMoreCallsThanTheCapAllows) {
  RetryBudgetOptions options = Plain(1);
  options.ratio = 0.05;
  RetryBudget cap(options, clock_.Now());
  call_.budgets = {nullptr, nullptr, &cap};
  hedging().max_attempts = 2;
  int hedges = 0;
  for (int i = 0; i < 1000; ++i) {
    Call({Succeed(Ms(500)), Succeed(Ms(10))});
    hedges += static_cast<int>(trace_.hedges.size());
  }
  EXPECT_EQ(hedges, 50);
}

TEST_F(HedgedCallTest, ReportsFailuresToAThrottle) {
  RetryBudgetOptions options;
  options.rule = RetryBudgetOptions::Rule::kThrottle;
  options.max_tokens = 4;
  RetryBudget throttle(options, clock_.Now());
  call_.budgets = {&throttle, nullptr, nullptr};
  EXPECT_EQ(Call({Unavailable(Ms(1))}), Verdict::kBudgetSpent);
  EXPECT_EQ(trace_.attempts.size(), 2u);  // 4, 3 and 2 tokens; half is no.
}

// --- Which calls are hedged ---

TEST_F(HedgedCallTest, HedgesReadsAlone) {
  const struct {
    Repeatable policy;
    Repeatable declared;
    bool reads;
    bool assume_read;
    bool hedged;
  } kCases[] = {
      {Repeatable::kUnknown, Repeatable::kYes, true, false, true},
      // IDEMPOTENT: repeated after it failed, not before.
      {Repeatable::kUnknown, Repeatable::kYes, false, false, false},
      {Repeatable::kYes, Repeatable::kUnknown, false, false, false},
      {Repeatable::kUnknown, Repeatable::kUnknown, false, false, false},
      {Repeatable::kUnknown, Repeatable::kUnknown, false, true, true},
      {Repeatable::kNo, Repeatable::kYes, true, false, false},
      {Repeatable::kNo, Repeatable::kUnknown, false, true, false},
  };
  for (const auto& c : kCases) {
    policy().repeatable = c.policy;
    hedging().assume_read = c.assume_read;
    call_.facts.declared = c.declared;
    call_.facts.reads = c.reads;
    EXPECT_EQ(Call({Succeed(Ms(30)), Succeed(Ms(30))}), Verdict::kSucceeded);
    EXPECT_EQ(trace_.hedges.size(), c.hedged ? 1u : 0u);
  }
}

TEST_F(HedgedCallTest, RetriesWhatItDoesNotHedge) {
  call_.facts.reads = false;
  call_.facts.declared = Repeatable::kYes;
  EXPECT_EQ(Call({Unavailable(Ms(30))}), Verdict::kAttemptsSpent);
  EXPECT_EQ(trace_.attempts.size(), 4u);
  EXPECT_THAT(trace_.waits, ElementsAre(Ms(100), Ms(200), Ms(400)));
}

TEST_F(HedgedCallTest, DoesNotHedgeUnlessItsPolicyIsInForce) {
  policy().defer = true;
  EXPECT_EQ(Call({Succeed(Ms(30))}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
  policy().defer = false;
  for (const Mode mode : {Mode::kObserve, Mode::kOff}) {
    policy().mode = mode;
    EXPECT_EQ(Call({Succeed(Ms(30))}), Verdict::kSucceeded);
    EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
  }
}

TEST_F(HedgedCallTest, DoesNotHedgeWhatGrpcRetries) {
  RetryCall call(policy(), call_.budgets, call_.facts);
  const absl::Time now = clock_.Now();
  call.StepAside();
  const Step first =
      call.Start(now, absl::InfiniteFuture(), absl::InfiniteFuture());
  EXPECT_EQ(first.wake_at, absl::InfiniteFuture());
  const AttemptEnd end = Unavailable(kNone).end;
  EXPECT_EQ(call.AttemptEnded(now, end, chance_).verdict,
            Verdict::kLeftToChannel);
}

// --- Time, commitment and cancellation ---

TEST_F(HedgedCallTest, SendsNoHedgeWithoutAUsefulTimeLeft) {
  call_.timeout = Ms(24);
  EXPECT_EQ(Call({Succeed(Ms(23))}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
  call_.timeout = Ms(25);
  EXPECT_EQ(Call({Succeed(Ms(24))}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(20)));
  EXPECT_THAT(trace_.times, ElementsAre(Ms(25), Ms(5)));
}

TEST_F(HedgedCallTest, EndsAtItsDeadlineWithAllOfThemUnderWay) {
  call_.timeout = Ms(100);
  EXPECT_EQ(Call({Succeed(kForever)}), Verdict::kDeadline);
  EXPECT_EQ(trace_.elapsed, Ms(100));
  EXPECT_EQ(trace_.code, StatusCode::kDeadlineExceeded);
  EXPECT_EQ(trace_.attempts.size(), 3u);
  EXPECT_EQ(trace_.cancelled, 2);
}

TEST_F(HedgedCallTest, GoesOnAfterAnAttemptThatRanOutOfItsOwnTime) {
  policy().attempt_timeout = Ms(50);
  call_.timeout = absl::Seconds(1);
  hedging().max_attempts = 2;
  EXPECT_EQ(Call({Succeed(kForever), Succeed(Ms(40))}), Verdict::kSucceeded);
  EXPECT_EQ(trace_.answered, 2);
  EXPECT_EQ(trace_.elapsed, Ms(60));
  EXPECT_EQ(trace_.cancelled, 0);  // The first had timed out at 50 ms.
}

// The first may be given more time than those after it: to connect.
TEST_F(HedgedCallTest, TellsEachAttemptsOwnTimeoutFromTheCallsDeadline) {
  policy().attempt_timeout = Ms(50);
  policy().connect_allowance = absl::Seconds(1);
  RetryCall call(policy(), call_.budgets, call_.facts);
  const absl::Time now = clock_.Now();
  call.SetConnecting(true);
  const Step first = call.Start(now, now + Ms(500), absl::InfiniteFuture());
  EXPECT_EQ(first.time, Ms(500));
  call.SetConnecting(false);
  const Step second = call.TimerFired(now + Ms(20));
  EXPECT_EQ(second.time, Ms(50));
  AttemptEnd end;
  end.code = StatusCode::kDeadlineExceeded;
  end.timed_out = true;
  end.attempt = 2;
  const Step third = call.AttemptEnded(now + Ms(70), end, chance_);
  EXPECT_TRUE(third.start);
  end.attempt = 1;
  EXPECT_EQ(call.AttemptEnded(now + Ms(500), end, chance_).verdict,
            Verdict::kDeadline);
}

TEST_F(HedgedCallTest, SendsNothingMoreOnceItIsCommitted) {
  RetryCall call(policy(), call_.budgets, call_.facts);
  const absl::Time now = clock_.Now();
  call.Start(now, absl::InfiniteFuture(), absl::InfiniteFuture());
  call.TimerFired(now + Ms(20));
  call.Commit();  // To the second: the first is cancelled, and not told of.
  AttemptEnd end;
  end.code = StatusCode::kUnavailable;
  end.attempt = 2;
  const Step step = call.AttemptEnded(now + Ms(30), end, chance_);
  EXPECT_TRUE(step.finished);
  EXPECT_EQ(step.verdict, Verdict::kCommitted);
  EXPECT_EQ(step.attempt, 2);
}

TEST_F(HedgedCallTest, EndsAtOnceWhenItsCallerGivesUp) {
  call_.cancelled = Ms(30);
  EXPECT_EQ(Call({NotApplied(Unavailable(Ms(100)))}), Verdict::kCancelled);
  EXPECT_EQ(trace_.elapsed, Ms(30));
  EXPECT_EQ(trace_.cancelled, 2);
  EXPECT_EQ(trace_.answered, 0);
  EXPECT_FALSE(trace_.not_applied);
  EXPECT_EQ(Left(target_), 9);  // The hedge was sent.
}

}  // namespace
}  // namespace forbear
