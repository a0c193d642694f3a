// What a unary call promises, in every stub style, for calls that go direct and
// for calls that are taken over by the interceptor.
#include <grpcpp/create_channel.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/client/channel.h"
#include "interceptors/client/outcome.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/probe_call.h"
#include "tests/client/recorder.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

// Waits for as long as nobody ends the wait.
MethodPolicy Patient() {
  MethodPolicy policy;
  policy.backoff.jitter = Jitter::kNone;
  policy.backoff.initial = absl::Hours(1);
  policy.backoff.max = absl::Hours(1);
  return policy;
}

Answer Unavailable() {
  return Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting");
}

class UnaryTest : public StylesTest {
 protected:
  UnaryTest() {
    // As by default, but for the burst.
    options_.policy.target_budget = RetryBudgetOptions();
    options_.policy.target_budget.burst_window = absl::ZeroDuration();
  }

  void TearDown() override {
    stub_.reset();
    StylesTest::TearDown();
  }

  bool Hijacked() const {
    return kPublicApiOnly || std::get<1>(GetParam()) == Path::kHijacked;
  }

  ProbeStub& stub() {
    if (stub_ == nullptr) stub_ = Stub(server_.address());
    return *stub_;
  }

  ProbeResult CallRead() {
    return Call(stub(), style(), ProbeMethod::kRead, &context_, "hello");
  }

  ScriptedServer server_;
  std::unique_ptr<ProbeStub> stub_;
};

INSTANTIATE_TEST_SUITE_P(Styles, UnaryTest, AllStyles(), StyleAndPath);

TEST_P(UnaryTest, AnswersAtOnceWhereNothingFails) {
  server_.Script({Answer::Succeeds(ReplyOf("hi"))
                      .WithHeader("x-header", "h")
                      .WithTrailer("x-trailer", "t")});
  const ProbeResult result = CallRead();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.reply.text(), "hi");
  EXPECT_EQ(context_.GetServerInitialMetadata().count("x-header"), 1);
  EXPECT_EQ(context_.GetServerTrailingMetadata().count("x-trailer"), 1);
  const std::vector<Arrival> arrivals = server_.arrivals();
  ASSERT_THAT(arrivals, SizeIs(1));
  EXPECT_THAT(arrivals[0].Values(std::string(kPreviousAttemptsKey)), IsEmpty());
  EXPECT_THAT(arrivals[0].Values(std::string(kIdempotencyKey)), IsEmpty());
}

TEST_P(UnaryTest, RetriesUntilItSucceedsAndShowsTheLastAnswerAlone) {
  server_.Script({Unavailable().WithTrailer("x-trailer", "first"),
                  Unavailable().WithHeader("x-header", "second"),
                  Answer::Succeeds(ReplyOf("hi"))
                      .WithHeader("x-header", "third")
                      .WithTrailer("x-trailer", "third")});
  context_.AddMetadata("x-mine", "kept");
  const ProbeResult result = CallRead();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.reply.text(), "hi");
  const auto headers = context_.GetServerInitialMetadata();
  if (style() == StubStyle::kQueueInTwo) {
    EXPECT_LE(headers.count("x-header"), 1);  // Shown before the end, or not.
  } else {
    ASSERT_EQ(headers.count("x-header"), 1);
    EXPECT_EQ(headers.find("x-header")->second, "third");
  }
  const auto trailers = context_.GetServerTrailingMetadata();
  ASSERT_EQ(trailers.count("x-trailer"), 1);
  EXPECT_EQ(trailers.find("x-trailer")->second, "third");

  const std::vector<Arrival> arrivals = server_.arrivals();
  ASSERT_THAT(arrivals, SizeIs(3));
  for (size_t i = 0; i < arrivals.size(); ++i) {
    EXPECT_EQ(arrivals[i].method, "/forbear.testing.Probe/Read");
    EXPECT_THAT(arrivals[i].Values("x-mine"), ElementsAre("kept"));
    Ask ask;
    EXPECT_TRUE(ask.ParseFromString(arrivals[i].request));
    EXPECT_EQ(ask.text(), "hello");
  }
  const std::string count(kPreviousAttemptsKey);
  EXPECT_THAT(arrivals[0].Values(count), IsEmpty());
  EXPECT_THAT(arrivals[1].Values(count), ElementsAre("1"));
  EXPECT_THAT(arrivals[2].Values(count), ElementsAre("2"));
}

TEST_P(UnaryTest, HeadersThatWereShownOnTheirOwnCommitTheCall) {
  if (style() != StubStyle::kQueueInTwo) return;
  if (Hijacked()) return;  // It shows them with the rest.
  Answer begun = Answer::Succeeds(ReplyOf("half"));
  begun.status = grpc::Status(grpc::StatusCode::UNAVAILABLE, "restarting");
  server_.Script(
      {begun.WithHeader("x-header", "first"), Answer::Succeeds(ReplyOf("hi"))});
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(result.status.error_message(),
              HasSubstr("stopped: answer already begun"));
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(UnaryTest, ReportsTheLastFailureAndWhatWasDone) {
  server_.Script({Unavailable(),
                  Answer::Fails(grpc::StatusCode::UNAVAILABLE, "gone", "why")
                      .WithTrailer("x-trailer", "last")});
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(result.status.error_message(),
              MatchesRegex("gone \\(forbear: 4 attempts in [0-9]+ ms, stopped: "
                           "attempts spent\\)"));
  EXPECT_EQ(result.status.error_details(), "why");
  EXPECT_EQ(context_.GetServerTrailingMetadata().count("x-trailer"), 1);
  EXPECT_EQ(OutcomeOf(context_), Outcome::kUnknown);
  EXPECT_THAT(server_.arrivals(), SizeIs(4));
}

TEST_P(UnaryTest, LeavesAPermanentFailureAsItIs) {
  server_.Script(
      {Answer::Fails(grpc::StatusCode::INVALID_ARGUMENT, "bad zone", "more")});
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(result.status.error_message(), "bad zone");
  EXPECT_EQ(result.status.error_details(), "more");
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(UnaryTest, RepeatsAMethodThatItsProtoCallsIdempotent) {
  server_.Script({Unavailable(), Answer::Succeeds(ReplyOf("put"))});
  EXPECT_TRUE(Call(stub(), style(), ProbeMethod::kPut, &context_).status.ok());
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
}

TEST_P(UnaryTest, DoesNotRepeatAMethodOfWhichNothingIsSaid) {
  server_.Script({Unavailable()});
  const ProbeResult result =
      Call(stub(), style(), ProbeMethod::kCharge, &context_);
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(result.status.error_message(),
              MatchesRegex("restarting \\(forbear: 1 attempt in [0-9]+ ms, "
                           "stopped: not repeatable\\)"));
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(UnaryTest, RepeatsAnythingThatTheServerProvesNotApplied) {
  server_.Script({Unavailable().WithTrailer(std::string(kNotAppliedKey), "1"),
                  Answer::Succeeds(ReplyOf("charged"))});
  const ProbeResult result =
      Call(stub(), style(), ProbeMethod::kCharge, &context_);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
}

TEST_P(UnaryTest, TellsThatNothingWasAppliedOnlyWhenThatHoldsForEveryAttempt) {
  const Answer refused =
      Unavailable().WithTrailer(std::string(kNotAppliedKey), "1");
  server_.Script({refused});
  EXPECT_FALSE(CallRead().status.ok());
  EXPECT_EQ(OutcomeOf(context_), Outcome::kNotApplied);

  server_.Script({Unavailable(), refused});
  grpc::ClientContext second;
  EXPECT_FALSE(Call(stub(), style(), ProbeMethod::kRead, &second).status.ok());
  EXPECT_EQ(OutcomeOf(second), Outcome::kUnknown);
}

TEST_P(UnaryTest, AKeyMakesAWriteRepeatableWhereTheServerHonoursKeys) {
  MethodPolicy policy = Eager();
  policy.server_honours_keys = true;
  options_.policy = policy;
  server_.Script({Unavailable(), Unavailable(),
                  Answer::Succeeds(ReplyOf("charged once"))});
  EXPECT_TRUE(
      Call(stub(), style(), ProbeMethod::kCharge, &context_).status.ok());
  const std::vector<Arrival> arrivals = server_.arrivals();
  ASSERT_THAT(arrivals, SizeIs(3));
  const std::vector<std::string> keys =
      arrivals[0].Values(std::string(kIdempotencyKey));
  ASSERT_THAT(keys, SizeIs(1));
  EXPECT_THAT(keys[0], MatchesRegex("[0-9a-f]+"));
  EXPECT_THAT(keys[0], SizeIs(32));
  EXPECT_EQ(arrivals[1].Values(std::string(kIdempotencyKey)), keys);
  EXPECT_EQ(arrivals[2].Values(std::string(kIdempotencyKey)), keys);
}

TEST_P(UnaryTest, KeepsTheCallersOwnKey) {
  MethodPolicy policy = Eager();
  policy.server_honours_keys = true;
  options_.policy = policy;
  server_.Script({Unavailable(), Answer::Succeeds(ReplyOf("charged once"))});
  context_.AddMetadata(std::string(kIdempotencyKey), "order-17");
  EXPECT_TRUE(
      Call(stub(), style(), ProbeMethod::kCharge, &context_).status.ok());
  for (const Arrival& arrival : server_.arrivals()) {
    EXPECT_THAT(arrival.Values(std::string(kIdempotencyKey)),
                ElementsAre("order-17"));
  }
}

TEST_P(UnaryTest, DerivesKeysFromTheInboundCall) {
  MethodPolicy policy = Eager();
  policy.server_honours_keys = true;
  options_.policy = policy;
  server_.Script({Answer::Succeeds(ReplyOf("charged"))});
  for (int run = 0; run < 2; ++run) {  // A handler that runs again.
    CallScope::Inbound inbound;
    inbound.idempotency_key = "order-17";
    CallScope::Enter in(std::make_shared<CallScope>(inbound));
    for (int call = 0; call < 2; ++call) {
      grpc::ClientContext context;
      EXPECT_TRUE(
          Call(stub(), style(), ProbeMethod::kCharge, &context).status.ok());
    }
  }
  std::vector<std::string> keys;
  for (const Arrival& arrival : server_.arrivals()) {
    for (const std::string& key :
         arrival.Values(std::string(kIdempotencyKey))) {
      keys.push_back(key);
    }
  }
  ASSERT_THAT(keys, SizeIs(4));
  EXPECT_THAT(keys[0], HasSubstr("order-17"));
  EXPECT_NE(keys[0], keys[1]);
  EXPECT_EQ(keys[0], keys[2]);
  EXPECT_EQ(keys[1], keys[3]);
}

TEST_P(UnaryTest, GivesUpAtOnceWhenTheNextAttemptWouldMissTheDeadline) {
  options_.policy = Patient();
  server_.Script({Unavailable()});
  context_.set_deadline(std::chrono::system_clock::now() +
                        std::chrono::minutes(30));
  const ProbeResult result = CallRead();  // Half an hour, were it to wait.
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(result.status.error_message(),
              HasSubstr("stopped: deadline too close"));
}

TEST_P(UnaryTest, ACallWithoutADeadlineHasTheDefaultOnTheWire) {
  MethodPolicy policy = Eager();
  policy.repeatable = Repeatable::kYes;
  policy.default_deadline = absl::Minutes(1);
  options_.policy = policy;
  server_.Script({Unavailable(), Answer::Succeeds(ReplyOf("hi"))});
  EXPECT_TRUE(CallRead().status.ok());
  ASSERT_THAT(server_.arrivals(), SizeIs(2));
  for (const Arrival& arrival : server_.arrivals()) {
    EXPECT_THAT(arrival.time_left, Le(absl::Minutes(1)));
  }
}

TEST_P(UnaryTest, ACallsOwnDeadlineIsNoneToReplaceWithTheDefault) {
  MethodPolicy policy = Eager();
  policy.default_deadline = absl::Minutes(1);
  policy.max_deadline = absl::Minutes(59);
  options_.policy = policy;
  context_.set_deadline(std::chrono::system_clock::now() +
                        std::chrono::hours(1));
  server_.Script({Answer::Succeeds(ReplyOf("hi"))});
  EXPECT_TRUE(CallRead().status.ok());
  ASSERT_THAT(server_.arrivals(), SizeIs(1));
  EXPECT_THAT(server_.arrivals()[0].time_left,
              AllOf(Gt(absl::Minutes(50)), Le(absl::Minutes(59))));
}

TEST_P(UnaryTest, TriesAgainAfterAnAttemptThatRanOutOfItsOwnTime) {
  MethodPolicy policy = Eager();
  policy.attempt_timeout = absl::Milliseconds(50);
  policy.connect_allowance = absl::Milliseconds(500);
  options_.policy = policy;
  server_.Script(
      {Answer::Hangs(), Answer::Hangs(), Answer::Succeeds(ReplyOf("at last"))});
  const auto deadline =
      std::chrono::system_clock::now() + std::chrono::hours(1);
  context_.set_deadline(deadline);
  const ProbeResult result = CallRead();
  // The third may time out, too, on a slow machine; then the fourth answers.
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  const std::vector<Arrival> arrivals = server_.arrivals();
  EXPECT_GE(arrivals.size(), 3);
  for (const Arrival& arrival : arrivals) {
    EXPECT_THAT(arrival.time_left, Le(absl::Seconds(1)));  // Not an hour.
  }
  EXPECT_EQ(context_.deadline(), deadline);  // Still the caller's own.
}

TEST_P(UnaryTest, DoesNotRepeatAWriteThatTimedOut) {
  MethodPolicy policy = Eager();
  policy.attempt_timeout = absl::Milliseconds(20);
  policy.connect_allowance = absl::Milliseconds(20);
  options_.policy = policy;
  server_.Script({Answer::Hangs()});
  const ProbeResult result =
      Call(stub(), style(), ProbeMethod::kCharge, &context_);
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(result.status.error_message(),
              HasSubstr("stopped: not repeatable"));
  EXPECT_EQ(OutcomeOf(context_), Outcome::kUnknown);
}

TEST_P(UnaryTest, EndsWithTheDeadlineOfTheCall) {
  server_.Script({Answer::Hangs()});
  context_.set_deadline(std::chrono::system_clock::now() +
                        std::chrono::milliseconds(30));
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(server_.arrivals(), SizeIs(Le(1)));  // It may not have left.
}

TEST_P(UnaryTest, SendsNothingWhenTheDeadlineHasPassed) {
  context_.set_deadline(std::chrono::system_clock::now() -
                        std::chrono::seconds(1));
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(OutcomeOf(context_), Outcome::kNotApplied);
  EXPECT_THAT(server_.arrivals(), IsEmpty());
}

TEST_P(UnaryTest, TellsTheServerOfNoMoreTimeThanThereIs) {
  server_.Script({Answer::Succeeds(ReplyOf("hi"))});
  for (const int ms : {999, 1'001, 9'999, 12'345, 100'001, 1'234'567}) {
    // gRPC says how much time is left by a clock that may lag on a slow
    // machine; a time that was rounded up would be too much every time.
    absl::Duration least = absl::InfiniteDuration();
    for (int i = 0; i < 50 && least > absl::Milliseconds(ms); ++i) {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() +
                           std::chrono::milliseconds(ms));
      EXPECT_TRUE(
          Call(stub(), style(), ProbeMethod::kRead, &context).status.ok());
      least = std::min(least, server_.arrivals().back().time_left);
    }
    EXPECT_THAT(least, Le(absl::Milliseconds(ms)));
  }
}

TEST_P(UnaryTest, InheritsTheDeadlineOfTheCallInWhoseHandlerItIsMade) {
  MethodPolicy policy = Eager();
  policy.reserve = absl::Seconds(5);
  options_.policy = policy;
  server_.Script({Unavailable(), Answer::Succeeds(ReplyOf("hi"))});
  CallScope::Inbound inbound;
  inbound.deadline = SteadyNow() + absl::Seconds(10);
  CallScope::Enter in(std::make_shared<CallScope>(inbound));
  context_.set_deadline(std::chrono::system_clock::now() +
                        std::chrono::seconds(60));
  EXPECT_TRUE(CallRead().status.ok());
  const std::vector<Arrival> arrivals = server_.arrivals();
  ASSERT_THAT(arrivals, SizeIs(2));
  for (const Arrival& arrival : arrivals) {
    EXPECT_THAT(arrival.time_left, Le(absl::Milliseconds(5'100)));
  }
}

TEST_P(UnaryTest, SendsNothingInAScopeWhoseDeadlineHasPassed) {
  CallScope::Inbound inbound;
  inbound.deadline = SteadyNow() - absl::Nanoseconds(1);
  CallScope::Enter in(std::make_shared<CallScope>(inbound));
  EXPECT_EQ(CallRead().status.error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(server_.arrivals(), IsEmpty());
}

TEST_P(UnaryTest, NotesInItsScopeThatItGaveUp) {
  server_.Script({Unavailable()});
  const auto scope = std::make_shared<CallScope>(CallScope::Inbound{});
  CallScope::Enter in(scope);
  EXPECT_FALSE(CallRead().status.ok());
  EXPECT_TRUE(scope->GaveUpWith(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(scope->GaveUpWith(absl::StatusCode::kInternal));
}

TEST_P(UnaryTest, ComesBackWhenTheServerSaid) {
  options_.policy = Patient();  // Its own wait would be an hour.
  server_.Script({Unavailable().WithTrailer(std::string(kPushbackKey), "0"),
                  Answer::Succeeds(ReplyOf("hi"))});
  EXPECT_TRUE(CallRead().status.ok());
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
}

TEST_P(UnaryTest, StaysAwayWhenAPushbackSaysNoOrMakesNoSense) {
  for (const std::string value :
       {"-1", "abc", "5.5", "", "99999999999", "1e3"}) {
    server_.Script({Unavailable().WithTrailer(std::string(kPushbackKey), value),
                    Answer::Succeeds(ReplyOf("hi"))});
    grpc::ClientContext context;
    const size_t before = server_.arrivals().size();
    const ProbeResult result =
        Call(stub(), style(), ProbeMethod::kRead, &context);
    EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE)
        << value;
    EXPECT_THAT(result.status.error_message(),
                HasSubstr("stopped: refused by server"));
    EXPECT_THAT(server_.arrivals(), SizeIs(before + 1));
  }
}

TEST_P(UnaryTest, IgnoresDetailsThatAreNoStatus) {
  server_.Script({Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting",
                                std::string("\xff\x00\x1a\x7f junk", 9)),
                  Answer::Succeeds(ReplyOf("hi"))});
  EXPECT_TRUE(CallRead().status.ok());
}

TEST_P(UnaryTest, StopsWhenTheBudgetIsSpent) {
  options_.policy.target_budget.ceiling = 2;
  options_.policy.target_budget.ratio = 0;
  options_.policy.target_budget.floor = 0;
  server_.Script({Unavailable()});
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(result.status.error_message(), HasSubstr("3 attempts in "));
  EXPECT_THAT(result.status.error_message(),
              HasSubstr("stopped: budget spent"));
  EXPECT_THAT(server_.arrivals(), SizeIs(3));
}

TEST_P(UnaryTest, AThrottleOfTwoTokensIsOneAttempt) {
  options_.policy.target_budget.rule = RetryBudgetOptions::Rule::kThrottle;
  options_.policy.target_budget.max_tokens = 2;
  server_.Script({Unavailable(), Answer::Succeeds(ReplyOf("hi"))});
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(result.status.error_message(), HasSubstr("budget spent"));
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(UnaryTest, AStatusThatAFilterRewroteToAPermanentOneIsOneAttempt) {
  options_.interceptors.push_back(std::make_shared<Rewriter>());
  server_.Script({Unavailable(), Answer::Succeeds(ReplyOf("hi"))});
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(result.status.error_message(), "rewritten");
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(UnaryTest, SharesTheBudgetOfAProcessBetweenTargets) {
  RetryBudgetOptions one;
  one.ceiling = 1;
  one.ratio = 0;
  one.floor = 0;
  one.burst_window = absl::ZeroDuration();
  options_.process_budget = std::make_shared<RetryBudget>(one, SteadyNow());
  ScriptedServer other;
  other.Script({Unavailable()});
  auto other_stub = ProbeStub::New(CreateChannel(
      other.address(), grpc::InsecureChannelCredentials(), options_));
  EXPECT_FALSE(
      Call(*other_stub, style(), ProbeMethod::kRead, &context_).status.ok());
  EXPECT_THAT(other.arrivals(), SizeIs(2));
  server_.Script({Unavailable()});
  grpc::ClientContext context;
  EXPECT_FALSE(Call(stub(), style(), ProbeMethod::kRead, &context).status.ok());
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(UnaryTest, ReturnsWhenCancelledDuringAnAttempt) {
  server_.Script({Answer::Hangs()});
  std::thread canceller([&] {
    server_.AwaitArrivals(1);
    context_.TryCancel();
  });
  const ProbeResult result = CallRead();
  canceller.join();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(UnaryTest, ReturnsWhenCancelledDuringALaterAttempt) {
  server_.Script({Unavailable(), Answer::Hangs()});
  std::thread canceller([&] {
    server_.AwaitArrivals(2);
    context_.TryCancel();
  });
  const ProbeResult result = CallRead();
  canceller.join();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
}

TEST_P(UnaryTest, ReturnsWhenCancelledDuringAWait) {
  options_.policy = Patient();
  const auto waits = std::make_shared<Recorder>();
  options_.observer = waits;
  server_.Script(
      {Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting", "why")});
  std::thread canceller([&] {
    waits->AwaitWaits(1);
    context_.TryCancel();
  });
  const ProbeResult result = CallRead();
  canceller.join();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(result.status.error_details(), "");  // Not the attempt's.
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(UnaryTest, SendsNothingWhenCancelledBeforehand) {
  context_.TryCancel();
  EXPECT_EQ(CallRead().status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_THAT(server_.arrivals(), IsEmpty());
}

TEST_P(UnaryTest, TellsTheObserverOfEachBeginningAndEndOnce) {
  const auto recorder = std::make_shared<Recorder>();
  options_.observer = recorder;
  server_.Script({Unavailable(), Answer::Succeeds(ReplyOf("hi"))});
  EXPECT_TRUE(CallRead().status.ok());
  EXPECT_THAT(
      recorder->events(),
      ElementsAre("call started", "attempt 1 started",
                  "attempt 1 ended UNAVAILABLE", "wait before attempt 2",
                  "attempt 2 started", "attempt 2 ended OK",
                  "call ended OK after 2, succeeded"));
}

TEST_P(UnaryTest, TellsTheObserverWhichGateSaidNo) {
  const auto recorder = std::make_shared<Recorder>();
  options_.observer = recorder;
  server_.Script({Unavailable()});
  Call(stub(), style(), ProbeMethod::kCharge, &context_);
  EXPECT_THAT(
      recorder->events(),
      ElementsAre("call started", "attempt 1 started",
                  "attempt 1 ended UNAVAILABLE", "refused not_repeatable",
                  "call ended UNAVAILABLE after 1, not_repeatable"));
}

TEST_P(UnaryTest, ObserveModeCountsWhatItWouldHaveDone) {
  const auto recorder = std::make_shared<Recorder>();
  options_.observer = recorder;
  MethodPolicy policy = Eager();
  policy.mode = Mode::kObserve;
  options_.policy = policy;
  server_.Script({Unavailable()});
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_message(), "restarting");
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
  EXPECT_THAT(recorder->events(),
              ElementsAre("call started", "attempt 1 started",
                          "attempt 1 ended UNAVAILABLE", "refused observed",
                          "call ended UNAVAILABLE after 1, observed"));
}

TEST_P(UnaryTest, ObserveModeLeavesMessageAndScopeAlone) {
  MethodPolicy policy = Eager();
  policy.mode = Mode::kObserve;
  options_.policy = policy;
  server_.Script({Unavailable()});
  const auto scope = std::make_shared<CallScope>(CallScope::Inbound{});
  CallScope::Enter in(scope);
  const ProbeResult result =
      Call(stub(), style(), ProbeMethod::kCharge, &context_);
  EXPECT_EQ(result.status.error_message(), "restarting");
  EXPECT_FALSE(scope->GaveUpWith(absl::StatusCode::kUnavailable));
}

TEST_P(UnaryTest, OffModeIsAsIfItWereNotThere) {
  MethodPolicy policy = Eager();
  policy.mode = Mode::kOff;
  options_.policy = policy;
  server_.Script({Unavailable()});
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_message(), "restarting");
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(UnaryTest, CarriesCompressionOnEveryAttempt) {
  context_.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  server_.Script({Unavailable(), Answer::Succeeds(ReplyOf("hi"))});
  EXPECT_TRUE(Call(stub(), style(), ProbeMethod::kRead, &context_,
                   std::string(10'000, 'a'))
                  .status.ok());
  const std::vector<Arrival> arrivals = server_.arrivals();
  ASSERT_THAT(arrivals, SizeIs(2));
  EXPECT_EQ(arrivals[0].request, arrivals[1].request);
  EXPECT_THAT(arrivals[0].request, SizeIs(10'003));
}

// Gives each call, and so each attempt, a token of its own.
class Tokens final : public grpc::MetadataCredentialsPlugin {
 public:
  bool IsBlocking() const override { return false; }
  grpc::Status GetMetadata(
      grpc::string_ref, grpc::string_ref, const grpc::AuthContext&,
      std::multimap<std::string, std::string>* metadata) override {
    metadata->emplace("x-token", absl::StrCat(++given_));
    return grpc::Status::OK;
  }

 private:
  std::atomic<int> given_{0};
};

TEST_P(UnaryTest, AsksTheCallCredentialsAnewForEveryAttempt) {
  ScriptedServer server(grpc::experimental::LocalServerCredentials(LOCAL_TCP));
  server.Script({Unavailable(), Answer::Succeeds(ReplyOf("hi"))});
  auto stub = ProbeStub::New(
      CreateChannel(server.address(),
                    grpc::experimental::LocalCredentials(LOCAL_TCP), options_));
  context_.set_credentials(grpc::experimental::MetadataCredentialsFromPlugin(
      std::make_unique<Tokens>(), GRPC_SECURITY_NONE));
  EXPECT_TRUE(Call(*stub, style(), ProbeMethod::kRead, &context_).status.ok());
  const std::vector<Arrival> arrivals = server.arrivals();
  ASSERT_THAT(arrivals, SizeIs(2));
  EXPECT_THAT(arrivals[0].Values("x-token"), ElementsAre("1"));
  EXPECT_THAT(arrivals[1].Values("x-token"), ElementsAre("2"));
}

TEST_P(UnaryTest, SurvivesManyCallsAtOnce) {
  server_.Script({Unavailable(), Unavailable(), Unavailable(),
                  Answer::Succeeds(ReplyOf("hi"))});
  options_.policy.target_budget.ceiling = 1000;
  stub();
  std::atomic<int> succeeded{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        grpc::ClientContext context;
        if (Call(stub(), style(), ProbeMethod::kRead, &context).status.ok()) {
          ++succeeded;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(succeeded, 200);
  EXPECT_THAT(server_.arrivals(), SizeIs(203));
}

TEST_P(UnaryTest, ShowsTheUsersInterceptorsEveryAttempt) {
  if (std::get<1>(GetParam()) == Path::kDirect) {
    stub();
    EXPECT_EQ(bystander_->calls, 0);
    return;
  }
  server_.Script({Unavailable(), Answer::Succeeds(ReplyOf("hi"))});
  EXPECT_TRUE(CallRead().status.ok());
  // The call itself, and each of its two attempts.
  EXPECT_EQ(bystander_->calls, 3);
}

TEST(ChannelTest, InvalidOptionsFailEveryCallAndNameTheField) {
  ClientOptions options;
  MethodPolicy policy;
  policy.max_attempts = 0;
  options.policy.Set("forbear.testing.Probe/Read", policy);
  auto stub = ProbeStub::New(CreateChannel(
      "localhost:1", grpc::InsecureChannelCredentials(), options));
  for (const StubStyle style :
       {StubStyle::kSync, StubStyle::kCallback, StubStyle::kReactor}) {
    grpc::ClientContext context;
    const grpc::Status status =
        Call(*stub, style, ProbeMethod::kRead, &context).status;
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(),
                HasSubstr("forbear.testing.Probe/Read: max_attempts: 0"));
  }
}

TEST(ChannelTest, AnInterceptorThatIsNotThereIsNamed) {
  ClientOptions options;
  options.interceptors = {std::make_shared<Bystanders>(), nullptr};
  EXPECT_THAT(options.Validate().message(), HasSubstr("interceptors[1]: null"));
}

TEST(ChannelTest, WithoutCredentialsEveryCallSaysWhatToPass) {
  auto stub = ProbeStub::New(CreateChannel("localhost:1", nullptr));
  grpc::ClientContext context;
  const grpc::Status status =
      Call(*stub, StubStyle::kSync, ProbeMethod::kRead, &context).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("credentials"));
}

}  // namespace
}  // namespace testing
}  // namespace forbear
