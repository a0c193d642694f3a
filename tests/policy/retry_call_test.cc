#include "interceptors/policy/retry_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/pinned_chance.h"
#include "interceptors/testing/scripted_callee.h"
#include "interceptors/testing/simulated_call.h"

namespace forbear {
namespace {

using absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::Duration kInfinite = absl::InfiniteDuration();
constexpr absl::Duration kNone = absl::ZeroDuration();
constexpr absl::Duration Ms(int64_t ms) { return absl::Milliseconds(ms); }

// A bucket of 10 that does not change with time.
RetryBudgetOptions PlainBudget() {
  RetryBudgetOptions options;
  options.burst_window = absl::ZeroDuration();
  options.floor = 0;
  return options;
}

Reply Unavailable(absl::Duration latency = kNone) {
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

// A repeatable method, its jitter pinned to the top of 100 ms, 200 ms, 400 ms.
class RetryCallTest : public ::testing::Test {
 protected:
  RetryCallTest() {
    call_.policy.repeatable = Repeatable::kYes;
    call_.budgets.target = &budget_;
  }

  Verdict Call(std::vector<Reply> script) {
    trace_ =
        RunCall(clock_, chance_, call_, Scripted(clock_, std::move(script)));
    EXPECT_TRUE(trace_.finished);
    return trace_.verdict;
  }
  Verdict Call(absl::Duration timeout, const Reply& reply) {
    call_.timeout = timeout;
    return Call({reply});
  }
  MethodPolicy& policy() { return call_.policy; }
  double Balance() const { return budget_.Balance(clock_.Now()); }

  ManualClock clock_;
  PinnedChance chance_ = PinnedChance::Top();
  RetryBudget budget_{PlainBudget(), clock_.Now()};
  SimulatedCall call_;
  CallTrace trace_;
};

// --- Attempts, waits and what they are given ---

TEST_F(RetryCallTest, EndsWithTheFirstSuccess) {
  EXPECT_EQ(Call({Succeed(Ms(10))}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
  EXPECT_EQ(trace_.elapsed, Ms(10));
  EXPECT_EQ(Balance(), 10);
}

TEST_F(RetryCallTest, GivesAnAttemptNoLimitWhereThereIsNone) {
  EXPECT_EQ(Call({Succeed()}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.times, ElementsAre(kInfinite));
}

TEST_F(RetryCallTest, TriesAgainAfterAFailureThatMayPass) {
  EXPECT_EQ(Call({Unavailable(Ms(10)), Succeed(Ms(10))}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(110)));
  EXPECT_THAT(trace_.waits, ElementsAre(Ms(100)));
  EXPECT_EQ(trace_.elapsed, Ms(120));
  EXPECT_EQ(Balance(), 9);
}

TEST_F(RetryCallTest, WaitsLongerEachTime) {
  EXPECT_EQ(Call({Unavailable()}), Verdict::kAttemptsSpent);
  EXPECT_THAT(trace_.waits, ElementsAre(Ms(100), Ms(200), Ms(400)));
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(100), Ms(300), Ms(700)));
  EXPECT_EQ(trace_.code, StatusCode::kUnavailable);
  EXPECT_EQ(Balance(), 7);
}

TEST_F(RetryCallTest, MakesAsManyAttemptsAsThePolicyAllows) {
  for (int attempts = 1; attempts <= 8; ++attempts) {
    policy().max_attempts = attempts;
    call_.budgets = {};
    EXPECT_EQ(Call({Unavailable()}), Verdict::kAttemptsSpent);
    EXPECT_EQ(trace_.attempts.size(), static_cast<size_t>(attempts));
  }
}

TEST_F(RetryCallTest, GoesOnUntilTheDeadlineWithoutALimit) {
  policy().max_attempts = MethodPolicy::kUnlimitedAttempts;
  policy().backoff.max = Ms(100);
  call_.budgets = {};
  EXPECT_EQ(Call(absl::Seconds(10), Unavailable()), Verdict::kDeadlineTooClose);
  EXPECT_EQ(trace_.attempts.size(), 100u);
  EXPECT_EQ(trace_.elapsed, Ms(9900));
}

TEST_F(RetryCallTest, BoundsEachAttemptByItsTimeoutAndTheTimeLeft) {
  policy().attempt_timeout = Ms(100);
  chance_ = PinnedChance::Bottom();  // No waits.
  EXPECT_EQ(Call(Ms(250), Unavailable(Ms(5000))), Verdict::kDeadline);
  EXPECT_THAT(trace_.times, ElementsAre(Ms(100), Ms(100), Ms(50)));
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(100), Ms(200)));
  EXPECT_EQ(trace_.elapsed, Ms(250));
  EXPECT_EQ(trace_.code, StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Balance(), 8);
}

TEST_F(RetryCallTest, OutlivesOneAttemptThatHangs) {
  policy().attempt_timeout = Ms(200);
  call_.timeout = absl::Seconds(1);
  EXPECT_EQ(Call({Unavailable(kInfinite), Succeed(Ms(20))}),
            Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(300)));
}

TEST_F(RetryCallTest, TriesAgainAfterItsOwnTimeoutUnderAnyListOfCodes) {
  policy().attempt_timeout = Ms(50);
  policy().classes.List({StatusCode::kAborted});
  EXPECT_EQ(Call({Succeed(kInfinite), Fail(StatusCode::kAborted), Succeed()}),
            Verdict::kSucceeded);
  EXPECT_EQ(trace_.attempts.size(), 3u);
  // It proves nothing, so it is repeated only where that is safe ...
  policy().repeatable = Repeatable::kUnknown;
  EXPECT_EQ(Call({Succeed(kInfinite)}), Verdict::kNotRepeatable);
  // ... or where the operator says so.
  policy().classes.List({StatusCode::kDeadlineExceeded});
  EXPECT_EQ(Call({Succeed(kInfinite)}), Verdict::kAttemptsSpent);
}

TEST_F(RetryCallTest, EndsWithTheTimeoutOfItsLastAttempt) {
  policy().attempt_timeout = Ms(50);
  policy().max_attempts = 3;
  EXPECT_EQ(Call({Succeed(kInfinite)}), Verdict::kAttemptsSpent);
  EXPECT_EQ(trace_.code, StatusCode::kDeadlineExceeded);
  EXPECT_EQ(trace_.attempts.size(), 3u);
}

TEST_F(RetryCallTest, RoundsAnAttemptsTimeDownToWhatTheWireCanSay) {
  EXPECT_EQ(Call(Ms(12'345), Unavailable(kInfinite)), Verdict::kDeadline);
  EXPECT_THAT(trace_.times, ElementsAre(Ms(12'300)));
}

TEST_F(RetryCallTest, HandsOnWhatItsInboundCallHasLeft) {
  // 1,000 ms at first; 190 ms went by before this call, which asks for 60 s.
  call_.inbound = Ms(1000 - 190);
  EXPECT_EQ(Call(absl::Seconds(60), Succeed()), Verdict::kSucceeded);
  EXPECT_THAT(trace_.times, ElementsAre(Ms(810)));
}

TEST_F(RetryCallTest, KeepsTheReserveBackFromItsInboundCallOnly) {
  policy().reserve = Ms(50);
  call_.inbound = Ms(200);
  EXPECT_EQ(Call({Succeed()}), Verdict::kSucceeded);
  EXPECT_THAT(trace_.times, ElementsAre(Ms(150)));
  call_.inbound = kInfinite;
  EXPECT_EQ(Call(Ms(200), Succeed()), Verdict::kSucceeded);
  EXPECT_THAT(trace_.times, ElementsAre(Ms(200)));
}

TEST_F(RetryCallTest, BoundsTheCallByThePolicysMaximum) {
  policy().max_deadline = Ms(300);
  EXPECT_EQ(Call(absl::Seconds(60), Unavailable(Ms(10))),
            Verdict::kDeadlineTooClose);
  EXPECT_THAT(trace_.times, ElementsAre(Ms(300), Ms(190)));
  EXPECT_EQ(Call(Ms(200), Succeed()), Verdict::kSucceeded);
  EXPECT_THAT(trace_.times, ElementsAre(Ms(200)));
}

TEST_F(RetryCallTest, GivesACallWithoutADeadlineTheDefault) {
  policy().default_deadline = Ms(300);
  EXPECT_EQ(Call(kInfinite, Succeed()), Verdict::kSucceeded);
  EXPECT_THAT(trace_.times, ElementsAre(Ms(300)));
  // Its own holds, longer or shorter.
  for (const absl::Duration own : {Ms(200), absl::Seconds(60)}) {
    EXPECT_EQ(Call(own, Succeed()), Verdict::kSucceeded);
    EXPECT_THAT(trace_.times, ElementsAre(own));
  }
}

TEST_F(RetryCallTest, TheDeadlineOfAnInboundCallIsNoneToReplace) {
  policy().default_deadline = Ms(300);
  call_.inbound = absl::Seconds(60);
  EXPECT_EQ(Call(kInfinite, Succeed()), Verdict::kSucceeded);
  EXPECT_THAT(trace_.times, ElementsAre(absl::Seconds(60)));
}

TEST_F(RetryCallTest, NoDefaultGoesBeyondTheMaximum) {
  policy().default_deadline = Ms(300);
  policy().max_deadline = Ms(200);
  EXPECT_EQ(Call(kInfinite, Succeed()), Verdict::kSucceeded);
  EXPECT_THAT(trace_.times, ElementsAre(Ms(200)));
}

TEST_F(RetryCallTest, SendsNothingOnceTheDeadlineHasPassed) {
  for (absl::Duration left : {-absl::Nanoseconds(1), kNone, -Ms(500),
                              absl::Microseconds(999), -kInfinite}) {
    EXPECT_EQ(Call(left, Succeed()), Verdict::kDeadline) << left;
    EXPECT_THAT(trace_.attempts, IsEmpty());
    EXPECT_EQ(trace_.code, StatusCode::kDeadlineExceeded);
    EXPECT_TRUE(trace_.not_applied);
  }
}

// --- When to give up ---

// Backoff doubles from 100 ms, jitter pinned to its top; replies take 10 ms:
// attempts at 0 and 110 ms; the next, at 320 ms, would be late.
TEST_F(RetryCallTest, GivesUpAtOnceWhenTheNextAttemptWouldMissTheDeadline) {
  EXPECT_EQ(Call(/*timeout=*/Ms(250), Unavailable(/*latency=*/Ms(10))),
            Verdict::kDeadlineTooClose);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(110)));
  EXPECT_EQ(trace_.elapsed, Ms(120));  // Not 250: nothing to await.
  EXPECT_EQ(trace_.code, StatusCode::kUnavailable);
  EXPECT_EQ(Balance(), 9);  // The refusal cost nothing.
}

TEST_F(RetryCallTest, TriesAgainWhenJustTheLeastUsefulTimeIsLeft) {
  EXPECT_EQ(Call(Ms(105), Unavailable()), Verdict::kDeadlineTooClose);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(100)));
  EXPECT_THAT(trace_.times, ElementsAre(Ms(105), Ms(5)));
  EXPECT_EQ(Call(Ms(105) - absl::Nanoseconds(1), Unavailable()),
            Verdict::kDeadlineTooClose);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
}

TEST_F(RetryCallTest, NeedsTimeThatTheWireCanSayEvenIfAnyTimeIsUseful) {
  policy().least_useful_time = kNone;
  EXPECT_EQ(Call(Ms(101), Unavailable()), Verdict::kDeadlineTooClose);
  EXPECT_THAT(trace_.times, ElementsAre(Ms(101), Ms(1)));
  for (absl::Duration timeout : {Ms(101) - absl::Nanoseconds(1), Ms(100)}) {
    const double before = Balance();
    EXPECT_EQ(Call(timeout, Unavailable()), Verdict::kDeadlineTooClose);
    EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
    EXPECT_GE(Balance(), before);
  }
}

TEST_F(RetryCallTest, GivesUpAtOnceWhenTheServerAsksForTooLongAWait) {
  EXPECT_EQ(
      Call(Ms(400), With(Pushback::Kind::kWait, Ms(5000), Unavailable(Ms(10)))),
      Verdict::kDeadlineTooClose);
  EXPECT_EQ(trace_.elapsed, Ms(10));
  EXPECT_EQ(trace_.code, StatusCode::kUnavailable);
  EXPECT_EQ(Balance(), 10);
}

TEST_F(RetryCallTest, GivesUpWhenTheServerAsksForForever) {
  EXPECT_EQ(Call({With(Pushback::Kind::kAtLeast, kInfinite, Unavailable())}),
            Verdict::kDeadlineTooClose);
}

TEST_F(RetryCallTest, StopsWhenTheBudgetIsSpent) {
  policy().max_attempts = 20;
  policy().backoff.max = Ms(100);
  EXPECT_EQ(Call({Unavailable()}), Verdict::kBudgetSpent);
  EXPECT_EQ(trace_.attempts.size(), 11u);
  EXPECT_EQ(Balance(), 0);
}

TEST_F(RetryCallTest, EarnsOnceForEachCallThatIsSent) {
  while (budget_.TrySpend(clock_.Now())) continue;
  EXPECT_EQ(Call({Succeed()}), Verdict::kSucceeded);
  EXPECT_EQ(Balance(), 0.1);
  EXPECT_EQ(Call({Unavailable()}), Verdict::kBudgetSpent);
  EXPECT_EQ(Balance(), 0.2);
  EXPECT_EQ(Call(kNone, Succeed()), Verdict::kDeadline);
  EXPECT_EQ(Balance(), 0.2);
}

TEST_F(RetryCallTest, StopsAtAThrottleOfTwoTokensAfterOneAttempt) {
  RetryBudgetOptions options;
  options.rule = RetryBudgetOptions::Rule::kThrottle;
  options.max_tokens = 2;
  RetryBudget throttle(options, clock_.Now());
  call_.budgets = {&throttle, nullptr};
  EXPECT_EQ(Call({Unavailable()}), Verdict::kBudgetSpent);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
}

TEST_F(RetryCallTest, ReportsToAThrottleWhatGrpcReports) {
  RetryBudgetOptions options;
  options.rule = RetryBudgetOptions::Rule::kThrottle;
  options.max_tokens = 100;
  options.token_ratio = 0.5;
  RetryBudget throttle(options, clock_.Now());
  call_.budgets = {&throttle, nullptr};
  policy().max_attempts = 2;
  const auto balance = [&] { return throttle.Balance(clock_.Now()); };

  Call({Unavailable()});
  EXPECT_EQ(balance(), 98);  // Each failed attempt, not each call.
  Call({Unavailable(), Succeed()});
  EXPECT_EQ(balance(), 97.5);
  Call({Fail(StatusCode::kNotFound)});
  EXPECT_EQ(balance(), 97.5);  // An answer is neither.
  Call({With(Pushback::Kind::kRefused, kNone, Fail(StatusCode::kNotFound))});
  EXPECT_EQ(balance(), 96.5);  // But a pushback that says no is a failure.
  Call(Ms(10), Succeed(kInfinite));
  EXPECT_EQ(balance(), 96.5);  // The call's own deadline is not the server's.
}

// A thousand calls that fail together are admitted when their retries are
// scheduled: what the bucket holds is given away once, not when they wake.
TEST_F(RetryCallTest, ChargesARetryWhenItIsScheduled) {
  RetryBudgetOptions options;
  options.ratio = 0.2;
  options.floor = 0;
  RetryBudget budget(options, clock_.Now());
  call_.budgets = {&budget, nullptr};
  policy().max_attempts = 2;
  int waited = 0;
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    StartCall(clock_, chance_, call_,
              Scripted(clock_, {Unavailable(Ms(10)), Unavailable(Ms(10))}),
              [&](const CallTrace& trace) {
                waited += static_cast<int>(trace.waits.size());
                refused += trace.verdict == Verdict::kBudgetSpent ? 1 : 0;
              });
  }
  clock_.Advance(Ms(10));
  EXPECT_EQ(budget.Balance(clock_.Now()), 0);
  EXPECT_EQ(refused, 800);
  clock_.RunUntilIdle();
  EXPECT_EQ(waited, 200);
}

// --- The gates, in their order ---

// What makes each gate refuse, in the order in which they are asked.
struct Flaw {
  Verdict gate;
  std::function<void(MethodPolicy*, AttemptEnd*)> add;
};

const Flaw kFlaws[] = {
    {Verdict::kPermanent,
     [](MethodPolicy*, AttemptEnd* end) { end->code = StatusCode::kNotFound; }},
    {Verdict::kRefusedByServer,
     [](MethodPolicy*, AttemptEnd* end) {
       end->pushback.kind = Pushback::Kind::kRefused;
     }},
    {Verdict::kCommitted, [](MethodPolicy*, AttemptEnd*) {}},
    {Verdict::kDeferred,
     [](MethodPolicy* policy, AttemptEnd*) { policy->defer = true; }},
    {Verdict::kLeftToChannel, [](MethodPolicy*, AttemptEnd*) {}},
    {Verdict::kNotRepeatable,
     [](MethodPolicy* policy, AttemptEnd*) {
       policy->repeatable = Repeatable::kNo;
     }},
    {Verdict::kAttemptsSpent,
     [](MethodPolicy* policy, AttemptEnd*) { policy->max_attempts = 1; }},
    {Verdict::kDeadlineTooClose,
     [](MethodPolicy* policy, AttemptEnd*) { policy->max_deadline = Ms(20); }},
    {Verdict::kBudgetSpent, [](MethodPolicy*, AttemptEnd*) {}},
};

TEST(RetryGatesTest, RefuseInTheOrderOfRegret) {
  const absl::Time now = absl::UnixEpoch();
  for (const Flaw& first : kFlaws) {
    RetryBudget budget(PlainBudget(), now);
    MethodPolicy policy;
    policy.repeatable = Repeatable::kYes;
    AttemptEnd end;
    end.code = StatusCode::kUnavailable;
    // The first flaw, and all that later gates would refuse.
    bool spent = false;
    bool committed = false;
    bool stepped_aside = false;
    for (const Flaw* flaw = &first; flaw != std::end(kFlaws); ++flaw) {
      flaw->add(&policy, &end);
      spent |= flaw->gate == Verdict::kBudgetSpent;
      committed |= flaw->gate == Verdict::kCommitted;
      stepped_aside |= flaw->gate == Verdict::kLeftToChannel;
    }
    while (spent && budget.TrySpend(now)) continue;
    PinnedChance top = PinnedChance::Top();
    RetryCall call(policy, {&budget, nullptr}, CallFacts());
    call.Start(now, absl::InfiniteFuture(), absl::InfiniteFuture());
    if (committed) call.Commit();
    if (stepped_aside) call.StepAside();
    const Step step = call.AttemptEnded(now, end, top);
    EXPECT_TRUE(step.finished);
    EXPECT_EQ(step.verdict, first.gate) << VerdictName(step.verdict);
  }
}

TEST(RetryGatesTest, SpendNothingWhenTheyRefuse) {
  const absl::Time now = absl::UnixEpoch();
  for (const Flaw& flaw : kFlaws) {
    if (flaw.gate == Verdict::kBudgetSpent) continue;
    RetryBudget budget(PlainBudget(), now);
    MethodPolicy policy;
    policy.repeatable = Repeatable::kYes;
    AttemptEnd end;
    end.code = StatusCode::kUnavailable;
    flaw.add(&policy, &end);
    PinnedChance top = PinnedChance::Top();
    RetryCall call(policy, {&budget, nullptr}, CallFacts());
    call.Start(now, absl::InfiniteFuture(), absl::InfiniteFuture());
    if (flaw.gate == Verdict::kCommitted) call.Commit();
    if (flaw.gate == Verdict::kLeftToChannel) call.StepAside();
    EXPECT_EQ(call.AttemptEnded(now, end, top).verdict, flaw.gate);
    EXPECT_EQ(budget.Balance(now), 10) << VerdictName(flaw.gate);
  }
}

// --- What may pass, and what may be repeated ---

TEST_F(RetryCallTest, RetriesByDefaultWhatItsClassAllows) {
  std::vector<StatusCode> retried;
  call_.budgets = {};
  for (int code = 1; code <= 16; ++code) {
    Call({Fail(static_cast<StatusCode>(code)), Succeed()});
    if (trace_.attempts.size() > 1) {
      retried.push_back(static_cast<StatusCode>(code));
    } else {
      EXPECT_EQ(trace_.verdict, Verdict::kPermanent);
    }
  }
  EXPECT_THAT(retried, ElementsAre(StatusCode::kDeadlineExceeded,
                                   StatusCode::kUnavailable));
}

TEST_F(RetryCallTest, RetriesAShortageOnlyWhenTheServerSaidWhen) {
  const Reply exhausted = Fail(StatusCode::kResourceExhausted);
  EXPECT_EQ(Call({exhausted}), Verdict::kPermanent);
  EXPECT_EQ(Call({With(Pushback::Kind::kWait, Ms(7), exhausted), Succeed()}),
            Verdict::kSucceeded);
  EXPECT_THAT(trace_.waits, ElementsAre(Ms(7)));
  EXPECT_EQ(Call({With(Pushback::Kind::kAtLeast, Ms(7), exhausted), Succeed()}),
            Verdict::kSucceeded);
  EXPECT_EQ(Call({With(Pushback::Kind::kRefused, kNone, exhausted)}),
            Verdict::kRefusedByServer);
}

TEST_F(RetryCallTest, RepeatsOnlyWhatSomebodySaidIsRepeatable) {
  const struct {
    Repeatable policy;
    Repeatable declared;
    bool has_key;
    bool honours_keys;
    Verdict verdict;
  } kCases[] = {
      {Repeatable::kUnknown, Repeatable::kUnknown, false, false,
       Verdict::kNotRepeatable},
      {Repeatable::kYes, Repeatable::kUnknown, false, false,
       Verdict::kSucceeded},
      {Repeatable::kUnknown, Repeatable::kYes, false, false,
       Verdict::kSucceeded},
      {Repeatable::kNo, Repeatable::kYes, true, true, Verdict::kNotRepeatable},
      {Repeatable::kUnknown, Repeatable::kUnknown, true, false,
       Verdict::kNotRepeatable},
      {Repeatable::kUnknown, Repeatable::kUnknown, false, true,
       Verdict::kNotRepeatable},
      {Repeatable::kUnknown, Repeatable::kUnknown, true, true,
       Verdict::kSucceeded},
      {Repeatable::kUnknown, Repeatable::kNo, false, false,
       Verdict::kNotRepeatable},
  };
  for (const auto& c : kCases) {
    policy().repeatable = c.policy;
    policy().server_honours_keys = c.honours_keys;
    call_.facts.declared = c.declared;
    call_.facts.has_key = c.has_key;
    EXPECT_EQ(Call({Unavailable(), Succeed()}), c.verdict);
  }
}

TEST_F(RetryCallTest, RepeatsAnythingThatIsKnownNotToBeApplied) {
  policy().repeatable = Repeatable::kNo;
  EXPECT_EQ(Call({Unavailable()}), Verdict::kNotRepeatable);
  EXPECT_FALSE(trace_.not_applied);
  EXPECT_EQ(Call({NotApplied(Unavailable()), Succeed()}), Verdict::kSucceeded);
  // Only for as long as every attempt is known not to be.
  EXPECT_EQ(Call({NotApplied(Unavailable()), Unavailable()}),
            Verdict::kNotRepeatable);
  EXPECT_FALSE(trace_.not_applied);
  EXPECT_EQ(Call({NotApplied(Unavailable())}), Verdict::kAttemptsSpent);
  EXPECT_TRUE(trace_.not_applied);
}

TEST_F(RetryCallTest, IsNotToldByAPushbackThatNothingWasApplied) {
  policy().repeatable = Repeatable::kUnknown;
  EXPECT_EQ(Call({With(Pushback::Kind::kWait, Ms(5), Unavailable())}),
            Verdict::kNotRepeatable);
}

TEST_F(RetryCallTest, TakesAListedCodeForTheOperatorsWord) {
  policy().repeatable = Repeatable::kUnknown;
  policy().classes.List({StatusCode::kAborted});
  EXPECT_EQ(Call({Fail(StatusCode::kAborted), Succeed()}), Verdict::kSucceeded);
  EXPECT_EQ(Call({Unavailable()}), Verdict::kPermanent);
}

TEST_F(RetryCallTest, StopsWhenTheApplicationHasSeenPartOfTheAnswer) {
  PinnedChance top = PinnedChance::Top();
  RetryCall call(policy(), RetryBudgets(), CallFacts());
  call.Start(clock_.Now(), absl::InfiniteFuture(), absl::InfiniteFuture());
  call.Commit();
  const Step step = call.AttemptEnded(clock_.Now(), Unavailable().end, top);
  EXPECT_EQ(step.verdict, Verdict::kCommitted);
}

// --- Pushback ---

TEST_F(RetryCallTest, WaitsExactlyWhatTheServerSaid) {
  EXPECT_EQ(
      Call({With(Pushback::Kind::kWait, Ms(2000), Unavailable()), Succeed()}),
      Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, Ms(2000)));
  EXPECT_EQ(
      Call({With(Pushback::Kind::kWait, kNone, Unavailable()), Succeed()}),
      Verdict::kSucceeded);
  EXPECT_THAT(trace_.attempts, ElementsAre(kNone, kNone));
}

TEST_F(RetryCallTest, StartsItsBackoffOverAfterAPushback) {
  EXPECT_EQ(
      Call({Unavailable(), Unavailable(),
            With(Pushback::Kind::kWait, Ms(7), Unavailable()), Unavailable()}),
      Verdict::kAttemptsSpent);
  EXPECT_THAT(trace_.waits, ElementsAre(Ms(100), Ms(200), Ms(7)));
  policy().max_attempts = 5;
  EXPECT_EQ(
      Call({Unavailable(), Unavailable(),
            With(Pushback::Kind::kWait, Ms(7), Unavailable()), Unavailable()}),
      Verdict::kAttemptsSpent);
  EXPECT_THAT(trace_.waits, ElementsAre(Ms(100), Ms(200), Ms(7), Ms(100)));
}

TEST_F(RetryCallTest, WaitsAtLeastWhatRetryInfoSaid) {
  policy().max_attempts = 3;
  EXPECT_EQ(Call({With(Pushback::Kind::kAtLeast, Ms(150), Unavailable())}),
            Verdict::kAttemptsSpent);
  EXPECT_THAT(trace_.waits, ElementsAre(Ms(150), Ms(200)));
}

TEST_F(RetryCallTest, StopsWhenTheServerSaysNoOnItsSecondAnswer) {
  policy().max_attempts = 3;
  EXPECT_EQ(Call({Unavailable(),
                  With(Pushback::Kind::kRefused, kNone, Unavailable())}),
            Verdict::kRefusedByServer);
  EXPECT_EQ(trace_.attempts.size(), 2u);
}

TEST_F(RetryCallTest, DoesNotRaiseItsLimitForAPushback) {
  policy().max_attempts = 2;
  EXPECT_EQ(Call({With(Pushback::Kind::kWait, kNone, Unavailable())}),
            Verdict::kAttemptsSpent);
  EXPECT_EQ(trace_.attempts.size(), 2u);
}

TEST_F(RetryCallTest, DoesNotRetryAnAnswerForAPushback) {
  EXPECT_EQ(Call({With(Pushback::Kind::kWait, kNone,
                       Fail(StatusCode::kInvalidArgument))}),
            Verdict::kPermanent);
}

// --- Ends from outside ---

TEST_F(RetryCallTest, EndsAtTheDeadlineOfTheCallAndSpendsNothing) {
  EXPECT_EQ(Call(Ms(100), Unavailable(kInfinite)), Verdict::kDeadline);
  EXPECT_EQ(trace_.elapsed, Ms(100));
  EXPECT_EQ(Balance(), 10);
}

TEST_F(RetryCallTest, EndsAtOnceWhenCancelledDuringAnAttempt) {
  call_.cancelled = Ms(30);
  EXPECT_EQ(Call({NotApplied(Unavailable(Ms(100)))}), Verdict::kCancelled);
  EXPECT_EQ(trace_.elapsed, Ms(30));
  EXPECT_EQ(trace_.code, StatusCode::kCancelled);
  EXPECT_EQ(Balance(), 10);
  EXPECT_FALSE(trace_.not_applied);  // Nobody will ever know.
}

TEST_F(RetryCallTest, EndsAtOnceWhenCancelledDuringAWaitAndIsPaidBack) {
  call_.cancelled = Ms(30);
  EXPECT_EQ(Call({NotApplied(Unavailable(Ms(10)))}), Verdict::kCancelled);
  EXPECT_EQ(trace_.elapsed, Ms(30));
  EXPECT_EQ(trace_.attempts.size(), 1u);
  EXPECT_EQ(Balance(), 10);
  EXPECT_TRUE(trace_.not_applied);
}

TEST_F(RetryCallTest, IsPaidBackWhenItsTimerFiresTooLate) {
  RetryCall call(policy(), call_.budgets, CallFacts());
  const absl::Time now = clock_.Now();
  call.Start(now, now + Ms(200), absl::InfiniteFuture());
  const Step wait = call.AttemptEnded(now, Unavailable().end, chance_);
  EXPECT_EQ(wait.wake_at, now + Ms(100));
  EXPECT_EQ(Balance(), 9);
  const Step late = call.TimerFired(now + Ms(200));
  EXPECT_TRUE(late.finished);
  EXPECT_EQ(late.verdict, Verdict::kDeadline);
  EXPECT_EQ(call.attempts(), 1);
  EXPECT_EQ(Balance(), 10);
}

TEST_F(RetryCallTest, CanBeCancelledBeforeItStarts) {
  RetryCall call(policy(), call_.budgets, CallFacts());
  EXPECT_EQ(call.Cancelled().verdict, Verdict::kCancelled);
  EXPECT_TRUE(call.not_applied());
}

// --- Modes ---

TEST_F(RetryCallTest, ChangesNothingWhenItOnlyObserves) {
  policy().mode = Mode::kObserve;
  policy().attempt_timeout = Ms(10);
  policy().default_deadline = Ms(15);
  policy().max_deadline = Ms(20);
  call_.inbound = Ms(30);
  EXPECT_EQ(Call(Ms(12'345), Succeed(Ms(12'344))), Verdict::kSucceeded);
  EXPECT_THAT(trace_.times, ElementsAre(Ms(12'345)));
  EXPECT_EQ(Call(Ms(12'345), Succeed(kInfinite)), Verdict::kDeadline);
  EXPECT_EQ(trace_.elapsed, Ms(12'345));
}

TEST_F(RetryCallTest, SaysWhatItWouldHaveDoneWhenItOnlyObserves) {
  for (Mode mode : {Mode::kObserve, Mode::kOff}) {
    policy() = MethodPolicy();
    policy().mode = mode;
    EXPECT_EQ(Call({Unavailable()}), Verdict::kNotRepeatable);
    policy().repeatable = Repeatable::kYes;
    EXPECT_EQ(Call({Unavailable()}), Verdict::kObserved);
    EXPECT_THAT(trace_.attempts, ElementsAre(kNone));
    EXPECT_EQ(Call(Ms(50), Unavailable()), Verdict::kDeadlineTooClose);
    call_.timeout = kInfinite;
    policy().max_attempts = 1;
    EXPECT_EQ(Call({Unavailable()}), Verdict::kAttemptsSpent);
    EXPECT_EQ(Balance(), 10);
  }
}

TEST_F(RetryCallTest, SeesAnEmptyBucketWhenItOnlyObserves) {
  policy().mode = Mode::kObserve;
  while (budget_.TrySpend(clock_.Now())) continue;
  EXPECT_EQ(Call({Unavailable()}), Verdict::kBudgetSpent);
  // A throttle says no at half of its tokens already.
  RetryBudgetOptions options;
  options.rule = RetryBudgetOptions::Rule::kThrottle;
  RetryBudget throttle(options, clock_.Now());
  call_.budgets = {&throttle, nullptr};
  for (int i = 0; i < 4; ++i) throttle.AttemptFailed();
  EXPECT_EQ(Call({Unavailable()}), Verdict::kBudgetSpent);
  EXPECT_EQ(throttle.Balance(clock_.Now()), 5);
}

TEST_F(RetryCallTest, LeavesRetryingToItsCallerWhenToldTo) {
  policy().defer = true;
  EXPECT_EQ(Call({Unavailable()}), Verdict::kDeferred);
  EXPECT_EQ(Balance(), 10);
}

// --- Beside gRPC's own retries, and on a channel that is not connected ---

TEST(RetryBesideOthersTest, StepsAsideWhenToldSoBeforeOrDuringTheAttempt) {
  const absl::Time now = absl::UnixEpoch();
  MethodPolicy policy;
  policy.repeatable = Repeatable::kYes;
  policy.attempt_timeout = Ms(20);
  AttemptEnd end;
  end.code = StatusCode::kUnavailable;
  end.not_applied = true;
  for (const bool before : {true, false}) {
    PinnedChance top = PinnedChance::Top();
    RetryCall call(policy, RetryBudgets(), CallFacts());
    if (before) call.StepAside();
    const Step start = call.Start(now, now + Ms(500), absl::InfiniteFuture());
    EXPECT_EQ(start.time, before ? Ms(500) : Ms(20));
    call.StepAside();
    const Step step = call.AttemptEnded(now, end, top);
    EXPECT_TRUE(step.finished);
    EXPECT_EQ(step.verdict, Verdict::kLeftToChannel);
    // Of gRPC's own attempts only the last one's end is known.
    EXPECT_FALSE(call.not_applied());
  }
}

TEST(RetryWhileConnectingTest, AllowsTimeForItOnTopOfTheAttempts) {
  const absl::Time now = absl::UnixEpoch();
  MethodPolicy policy;
  policy.repeatable = Repeatable::kYes;
  policy.attempt_timeout = Ms(20);
  policy.connect_allowance = Ms(300);
  AttemptEnd end;
  end.code = StatusCode::kUnavailable;
  PinnedChance bottom = PinnedChance::Bottom();
  RetryCall call(policy, RetryBudgets(), CallFacts());
  call.SetConnecting(true);
  EXPECT_EQ(call.Start(now, now + Ms(400), absl::InfiniteFuture()).time,
            Ms(320));
  call.AttemptEnded(now, end, bottom);
  call.SetConnecting(false);
  EXPECT_EQ(call.TimerFired(now).time, Ms(20));
  call.AttemptEnded(now + Ms(100), end, bottom);
  call.SetConnecting(true);
  EXPECT_EQ(call.TimerFired(now + Ms(100)).time, Ms(300));  // What is left.
}

TEST(RetryWhileConnectingTest, LeavesAnUnlimitedAttemptUnlimited) {
  const MethodPolicy policy;
  RetryCall call(policy, RetryBudgets(), CallFacts());
  call.SetConnecting(true);
  EXPECT_EQ(call.Start(absl::UnixEpoch(), absl::InfiniteFuture(),
                       absl::InfiniteFuture())
                .time,
            kInfinite);
}

}  // namespace
}  // namespace forbear
