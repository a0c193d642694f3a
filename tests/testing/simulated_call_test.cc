#include "interceptors/testing/simulated_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/scripted_callee.h"
#include "interceptors/testing/split_mix64.h"

namespace forbear {
namespace {

using absl::StatusCode;
using ::testing::ElementsAre;

constexpr absl::Duration kNone = absl::ZeroDuration();
constexpr absl::Duration Ms(int64_t ms) { return absl::Milliseconds(ms); }

class SimulatedCallTest : public ::testing::Test {
 protected:
  SimulatedCallTest() {
    call_.policy.repeatable = Repeatable::kYes;
    call_.policy.backoff.jitter = Jitter::kNone;
  }

  CallTrace Run(std::vector<Reply> script) {
    return RunCall(clock_, chance_, call_, Scripted(clock_, std::move(script)));
  }

  ManualClock clock_;
  SplitMix64 chance_{7};
  SimulatedCall call_;
};

// The example of scripted_callee.h.
MethodPolicy RoutesPolicy() {
  MethodPolicy policy;
  policy.repeatable = Repeatable::kYes;
  policy.backoff.initial = absl::Milliseconds(200);
  return policy;
}

TEST(RoutesPolicyTest, GivesUpWhileItsCallerCanStillUseTheTime) {
  ManualClock clock;
  SplitMix64 chance(7);
  SimulatedCall call;
  call.policy = RoutesPolicy();
  call.timeout = absl::Seconds(1);
  CallTrace trace =
      RunCall(clock, chance, call,
              Scripted(clock, {Fail(StatusCode::kUnavailable, Ms(200))}));
  EXPECT_EQ(trace.verdict, Verdict::kDeadlineTooClose);
  EXPECT_LT(trace.elapsed, absl::Milliseconds(800));
}

TEST_F(SimulatedCallTest, TracesWhatBecameOfTheCall) {
  const CallTrace trace =
      Run({Fail(StatusCode::kUnavailable, Ms(10)), Succeed(Ms(20))});
  EXPECT_TRUE(trace.finished);
  EXPECT_EQ(trace.verdict, Verdict::kSucceeded);
  EXPECT_EQ(trace.code, StatusCode::kOk);
  EXPECT_THAT(trace.attempts, ElementsAre(kNone, Ms(110)));
  EXPECT_THAT(trace.waits, ElementsAre(Ms(100)));
  EXPECT_EQ(trace.elapsed, Ms(130));
  EXPECT_FALSE(trace.not_applied);
}

TEST_F(SimulatedCallTest, CountsFromItsOwnStart) {
  clock_.Advance(absl::Hours(5));
  call_.timeout = Ms(50);
  const CallTrace trace = Run({Succeed(absl::InfiniteDuration())});
  EXPECT_THAT(trace.attempts, ElementsAre(kNone));
  EXPECT_EQ(trace.elapsed, Ms(50));
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch() + absl::Hours(5) + Ms(50));
}

TEST_F(SimulatedCallTest, TakesAnAnswerOnTheDeadlineForTooLate) {
  call_.timeout = Ms(50);
  EXPECT_EQ(Run({Succeed(Ms(50))}).verdict, Verdict::kDeadline);
  EXPECT_EQ(Run({Succeed(Ms(50) - absl::Nanoseconds(1))}).verdict,
            Verdict::kSucceeded);
}

TEST_F(SimulatedCallTest, HearsNoAnswerTwiceAndNoneTooLate) {
  call_.policy.attempt_timeout = Ms(50);
  std::vector<Answer> answers;
  AttemptEnd ok;
  std::vector<CallTrace> ended;
  StartCall(
      clock_, chance_, call_,
      [&](const Arrival&, Answer answer) { answers.push_back(answer); },
      [&](const CallTrace& trace) { ended.push_back(trace); });
  clock_.Advance(Ms(150));  // The first timed out; the second is under way.
  ASSERT_EQ(answers.size(), 2u);
  answers[0](ok);
  EXPECT_EQ(ended.size(), 0u);
  clock_.Advance(Ms(7));
  answers[1](ok);
  answers[1](ok);
  answers[0](ok);
  clock_.RunUntilIdle();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].elapsed, Ms(157));
}

TEST_F(SimulatedCallTest, LeavesNoTimerOfItsOwnBehind) {
  call_.timeout = absl::Hours(1);
  call_.cancelled = absl::Hours(2);
  Run({Fail(StatusCode::kUnavailable), Succeed()});
  EXPECT_EQ(clock_.Timers(), 0u);
  Run({Fail(StatusCode::kNotFound)});
  EXPECT_EQ(clock_.Timers(), 0u);
  call_.cancelled = Ms(50);
  Run({Fail(StatusCode::kUnavailable)});  // Cancelled while it waits.
  EXPECT_EQ(clock_.Timers(), 0u);
}

TEST_F(SimulatedCallTest, IsNotFinishedWhenNothingWillEndIt) {
  EXPECT_FALSE(Run({Succeed(absl::InfiniteDuration())}).finished);
}

TEST_F(SimulatedCallTest, TellsTheCalleeWhatTheAttemptWasGiven) {
  call_.policy.attempt_timeout = Ms(80);
  call_.timeout = Ms(230);
  std::vector<int> attempts;
  std::vector<absl::Duration> times;
  RunCall(clock_, chance_, call_, [&](const Arrival& arrival, const Answer&) {
    EXPECT_EQ(arrival.at, clock_.Now());
    attempts.push_back(arrival.attempt);
    times.push_back(arrival.time);
  });
  EXPECT_THAT(attempts, ElementsAre(1, 2));
  EXPECT_THAT(times, ElementsAre(Ms(80), Ms(50)));
}

// Three layers of services, each of which retries three times, above one that
// is down: 4 x 4 x 4 attempts reach it.
TEST_F(SimulatedCallTest, Nests) {
  int reached = 0;
  const Callee down = [&](const Arrival&, const Answer& answer) {
    ++reached;
    answer(Fail(StatusCode::kUnavailable).end);
  };
  const auto layer_above = [this](Callee below) -> Callee {
    return [this, below](const Arrival& arrival, Answer answer) {
      SimulatedCall inner = call_;
      inner.inbound = arrival.time;
      StartCall(clock_, chance_, inner, below, [answer](const CallTrace& t) {
        AttemptEnd end;
        end.code = t.code;
        answer(end);
      });
    };
  };
  const CallTrace trace =
      RunCall(clock_, chance_, call_, layer_above(layer_above(down)));
  EXPECT_EQ(trace.verdict, Verdict::kAttemptsSpent);
  EXPECT_EQ(reached, 64);
}

// 2 s for a call whose callee is slow twice and then answers in 200 ms: the
// waits of 39 and 3 ms are those of SplitMix64 with seed 7.
TEST_F(SimulatedCallTest, GivesThePublishedFiguresOfACallWithADeadline) {
  call_.policy.max_attempts = 5;
  call_.policy.attempt_timeout = Ms(800);
  call_.policy.backoff.jitter = Jitter::kFull;
  call_.policy.backoff.max = Ms(1000);
  call_.timeout = Ms(2000);
  const CallTrace trace =
      Run({Succeed(Ms(5000)), Succeed(Ms(5000)), Succeed(Ms(200))});
  EXPECT_EQ(trace.verdict, Verdict::kSucceeded);
  EXPECT_THAT(trace.attempts, ElementsAre(kNone, Ms(839), Ms(1642)));
  EXPECT_THAT(trace.times, ElementsAre(Ms(800), Ms(800), Ms(358)));
  EXPECT_THAT(trace.waits, ElementsAre(Ms(39), Ms(3)));
  EXPECT_EQ(trace.elapsed, Ms(1842));

  chance_ = SplitMix64(7);
  const CallTrace slow = Run({Succeed(Ms(5000))});
  EXPECT_EQ(slow.verdict, Verdict::kDeadline);
  EXPECT_EQ(slow.attempts.size(), 3u);
  EXPECT_EQ(slow.elapsed, Ms(2000));
}

TEST(ScriptedCalleeTest, RepeatsItsLastReply) {
  ManualClock clock;
  const Callee callee =
      Scripted(clock, {Fail(StatusCode::kAborted, Ms(5)), Succeed(Ms(1))});
  const Callee same = callee;
  std::vector<StatusCode> codes;
  for (const Callee& each : {callee, same, callee}) {
    each({1, clock.Now(), Ms(10)},
         [&](const AttemptEnd& end) { codes.push_back(end.code); });
    clock.RunUntilIdle();
  }
  EXPECT_THAT(codes, ElementsAre(StatusCode::kAborted, StatusCode::kOk,
                                 StatusCode::kOk));
  EXPECT_EQ(clock.Now(), absl::UnixEpoch() + Ms(7));
}

}  // namespace
}  // namespace forbear
