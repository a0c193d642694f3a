// What a streaming call promises, for each kind of call in every stub style.
#include <grpcpp/create_channel.h>
#include <grpcpp/support/channel_arguments.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/client/channel.h"
#include "interceptors/client/outcome.h"
#include "interceptors/client/replay_buffer.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/testing/scripted_server.h"
#include "proto/testing/kinds.grpc.pb.h"
#include "tests/client/recorder.h"
#include "tests/client/stream_calls.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

// As eager as can be, and repeats any method, also on ABORTED.
MethodPolicy Eagerly() {
  MethodPolicy policy = Eager();
  policy.repeatable = Repeatable::kYes;
  policy.classes.Set(absl::StatusCode::kAborted, StatusClass::kTransient);
  return policy;
}

// Waits for as long as nobody ends the wait.
MethodPolicy Patient() {
  MethodPolicy policy = Eagerly();
  policy.backoff.initial = absl::Hours(1);
  policy.backoff.max = absl::Hours(1);
  return policy;
}

Note NoteOf(const std::string& text) {
  Note note;
  note.set_text(text);
  return note;
}

StreamPlan Sending(const std::vector<std::string>& sends) {
  StreamPlan plan;
  plan.sends = sends;
  return plan;
}

Answer Aborted() {
  return Answer::Fails(grpc::StatusCode::ABORTED, "conflict");
}

std::vector<std::string> Wire(const std::vector<std::string>& texts) {
  std::vector<std::string> wire;
  for (const std::string& text : texts) {
    wire.push_back(NoteOf(text).SerializeAsString());
  }
  return wire;
}

class StreamTest : public ::testing::TestWithParam<
                       std::tuple<StreamStyle, StreamKind, Path>> {
 protected:
  StreamTest() {
    if (std::get<2>(GetParam()) == Path::kHijacked) {
      options_.interceptors.push_back(std::make_shared<Bystanders>());
    }
    options_.policy = Eagerly();
    options_.policy.target_budget.burst_window = absl::ZeroDuration();
    RetryBudgetOptions roomy;
    roomy.ceiling = 1000;
    options_.process_budget = std::make_shared<RetryBudget>(roomy, SteadyNow());
  }

  void TearDown() override {
    channel_.reset();
    own_context_.reset();  // What a call received lives as long as its context.
    while (InFlight::Total() != 0 || ProcessReplayBytes() != 0) {
      std::this_thread::yield();
    }
  }

  StreamStyle style() const { return std::get<0>(GetParam()); }
  StreamKind kind() const { return std::get<1>(GetParam()); }
  bool SendsOne() const { return kind() == StreamKind::kDownload; }
  bool AnswersOne() const { return kind() == StreamKind::kUpload; }
  bool Hijacked() const {
    return kPublicApiOnly || std::get<2>(GetParam()) == Path::kHijacked;
  }
  // To a generic stub every method is a bidirectional stream.
  bool Generic() const {
    return style() == StreamStyle::kGenericQueue ||
           style() == StreamStyle::kGenericCallback;
  }

  StreamResult RunCall(const StreamPlan& plan = {}) {
    if (channel_ == nullptr) {
      channel_ = CreateChannel(server_.address(),
                               grpc::InsecureChannelCredentials(), options_);
    }
    return testing::Run(channel_, style(), kind(), &context_, plan);
  }

  // What the server reads of a whole call.
  std::vector<std::string> Sends(const std::vector<std::string>& texts = {
                                     "a", "b"}) const {
    return Wire(SendsOne() ? std::vector<std::string>{texts.front()} : texts);
  }

  // One message, or two where there can be.
  Answer Succeeds() const {
    Answer answer = Answer::Succeeds(NoteOf("x"));
    if (!AnswersOne()) {
      answer.messages.push_back(NoteOf("y").SerializeAsString());
    }
    return answer.After(Answer::kAll);
  }
  std::vector<std::string> Answers() const {
    if (AnswersOne()) return {"x"};
    return {"x", "y"};
  }

  ScriptedServer server_;
  ClientOptions options_;
  std::shared_ptr<grpc::ChannelInterface> channel_;
  std::unique_ptr<grpc::ClientContext> own_context_ =
      std::make_unique<grpc::ClientContext>();
  grpc::ClientContext& context_ = *own_context_;
};

std::vector<StreamStyle> StreamStyles() {
  std::vector<StreamStyle> styles = {StreamStyle::kSync, StreamStyle::kCallback,
                                     StreamStyle::kQueue};
  if (!kPublicApiOnly) {
    styles.push_back(StreamStyle::kGenericQueue);
    styles.push_back(StreamStyle::kGenericCallback);
  }
  return styles;
}

INSTANTIATE_TEST_SUITE_P(
    Styles, StreamTest,
    ::testing::Combine(::testing::ValuesIn(StreamStyles()),
                       ::testing::Values(StreamKind::kDownload,
                                         StreamKind::kUpload,
                                         StreamKind::kChat),
                       ::testing::Values(Path::kDirect, Path::kHijacked)),
    [](const auto& info) {
      return absl::StrCat(
          KindName(std::get<1>(info.param)), StyleName(std::get<0>(info.param)),
          std::get<2>(info.param) == Path::kDirect ? "Direct" : "Hijacked");
    });

TEST_P(StreamTest, GoesThroughAtOnceWhereNothingFails) {
  server_.Script(
      {Succeeds().WithHeader("x-header", "h").WithTrailer("x-trailer", "t")});
  const StreamResult result = RunCall();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.messages, ElementsAreArray(Answers()));
  EXPECT_EQ(context_.GetServerInitialMetadata().count("x-header"), 1);
  EXPECT_EQ(context_.GetServerTrailingMetadata().count("x-trailer"), 1);
  const std::vector<Arrival> arrivals = server_.arrivals();
  ASSERT_THAT(arrivals, SizeIs(1));
  EXPECT_THAT(arrivals[0].requests, ElementsAreArray(Sends()));
  EXPECT_THAT(arrivals[0].Values(std::string(kPreviousAttemptsKey)), IsEmpty());
}

TEST_P(StreamTest, AbortedThenOkIsTwoAttemptsAndReplaysWhatWasSentInOrder) {
  server_.Script(
      {Aborted().After(Answer::kAll).WithTrailer("x-trailer", "1"),
       Succeeds().WithHeader("x-header", "h").WithTrailer("x-trailer", "2")});
  context_.AddMetadata("x-mine", "kept");
  const StreamResult result = RunCall();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.messages, ElementsAreArray(Answers()));
  ASSERT_EQ(context_.GetServerInitialMetadata().count("x-header"), 1);
  const auto trailers = context_.GetServerTrailingMetadata();
  ASSERT_EQ(trailers.count("x-trailer"), 1);
  EXPECT_EQ(trailers.find("x-trailer")->second, "2");
  const std::vector<Arrival> arrivals = server_.arrivals();
  ASSERT_THAT(arrivals, SizeIs(2));
  for (const Arrival& arrival : arrivals) {
    EXPECT_EQ(arrival.method, MethodName(kind()));
    EXPECT_THAT(arrival.requests, ElementsAreArray(Sends()));
    EXPECT_TRUE(arrival.closed);
    EXPECT_THAT(arrival.Values("x-mine"), ElementsAre("kept"));
  }
  EXPECT_THAT(arrivals[1].Values(std::string(kPreviousAttemptsKey)),
              ElementsAre("1"));
}

TEST_P(StreamTest,
       AnAttemptThatFailsAtItsFirstMessageIsReplayedWhileMoreComes) {
  server_.Script({Aborted(), Aborted(), Succeeds()});
  const StreamPlan plan = Sending({"a", "b", "c", "d"});
  const StreamResult result = RunCall(plan);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.messages, ElementsAreArray(Answers()));
  const std::vector<Arrival> arrivals = server_.arrivals();
  ASSERT_THAT(arrivals, SizeIs(3));
  EXPECT_THAT(arrivals[2].requests, ElementsAreArray(Sends(plan.sends)));
}

TEST_P(StreamTest, LimitOfTwoAttemptsBothAbortedEndsAborted) {
  MethodPolicy policy = Eagerly();
  policy.max_attempts = 2;
  options_.policy = policy;
  server_.Script(
      {Aborted(), Answer::Fails(grpc::StatusCode::ABORTED, "again", "why")
                      .WithTrailer("x-t", "2")});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(
      result.status.error_message(),
      MatchesRegex("again \\(forbear: 2 attempts in [0-9]+ ms, stopped: "
                   "attempts spent\\)"));
  EXPECT_EQ(result.status.error_details(), "why");
  EXPECT_EQ(context_.GetServerTrailingMetadata().count("x-t"), 1);
  EXPECT_EQ(OutcomeOf(context_), Outcome::kUnknown);
  EXPECT_THAT(result.messages, IsEmpty());
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
}

TEST_P(StreamTest, RetriesDisabledIsOneAttempt) {
  MethodPolicy policy = Eagerly();
  policy.max_attempts = 1;
  options_.policy = policy;
  server_.Script({Aborted()});
  EXPECT_EQ(RunCall().status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, APermanentCodeIsOneAttemptAndStaysAsItIs) {
  server_.Script(
      {Answer::Fails(grpc::StatusCode::INVALID_ARGUMENT, "bad zone", "more")});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(result.status.error_message(), "bad zone");
  EXPECT_EQ(result.status.error_details(), "more");
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, AMethodOfWhichNothingIsSaidIsNotRepeated) {
  MethodPolicy policy = Eagerly();
  policy.repeatable = Repeatable::kUnknown;
  options_.policy = policy;
  server_.Script({Aborted(), Succeeds()});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(result.status.error_message(), HasSubstr("not repeatable"));
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, WhatTheServerProvesNotAppliedIsRepeatedAlways) {
  MethodPolicy policy = Eagerly();
  policy.repeatable = Repeatable::kNo;
  options_.policy = policy;
  server_.Script(
      {Aborted().WithTrailer(std::string(kNotAppliedKey), "1"), Succeeds()});
  EXPECT_TRUE(RunCall().status.ok());
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
}

TEST_P(StreamTest, ABudgetOfNothingIsOneAttempt) {
  RetryBudgetOptions empty;
  empty.ceiling = 0;
  empty.floor = 0;
  empty.ratio = 0;
  options_.process_budget = std::make_shared<RetryBudget>(empty, SteadyNow());
  server_.Script({Aborted()});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(result.status.error_message(), HasSubstr("budget spent"));
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, AThrottleOfTwoTokensIsOneAttempt) {
  options_.policy.target_budget.rule = RetryBudgetOptions::Rule::kThrottle;
  options_.policy.target_budget.max_tokens = 2;
  server_.Script({Aborted(), Succeeds()});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(result.status.error_message(), HasSubstr("budget spent"));
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, AStatusThatAFilterRewroteToAPermanentOneIsOneAttempt) {
  options_.interceptors.push_back(std::make_shared<Rewriter>());
  server_.Script({Aborted(), Succeeds()});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(result.status.error_message(), "rewritten");
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

// The windows are 64 KiB; a message or two are on their way beside them.
TEST_P(StreamTest, ASlowReaderSlowsTheSenderAlsoAfterARetry) {
  if (AnswersOne()) return;
  if (style() != StreamStyle::kSync && style() != StreamStyle::kQueue) return;
  options_.arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  Answer flood = Succeeds();
  flood.messages.assign(
      100, NoteOf(std::string(64 * 1024, 'x')).SerializeAsString());
  server_.Script({Aborted(), flood});
  StreamPlan plan;
  int ahead = 0;
  plan.after_read = [&](size_t count) {
    if (count != 3) return;
    // A sender that nobody slows would use this time.
    const absl::Time start = SteadyNow();
    while (SteadyNow() - start < absl::Milliseconds(100)) {
      std::this_thread::yield();
    }
    ahead = server_.arrivals().back().answers - static_cast<int>(count);
  };
  const StreamResult result = RunCall(plan);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.messages, SizeIs(100));
  EXPECT_THAT(ahead, Le(6));
}

TEST_P(StreamTest, APushbackThatSaysNoEndsIt) {
  server_.Script({Aborted(),
                  Aborted().WithTrailer(std::string(kPushbackKey), "-1"),
                  Succeeds()});
  EXPECT_EQ(RunCall().status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
}

TEST_P(StreamTest, APushbackIsWaitedFor) {
  options_.policy = Patient();
  server_.Script(
      {Aborted().WithTrailer(std::string(kPushbackKey), "20"), Succeeds()});
  const absl::Time before = SteadyNow();
  EXPECT_TRUE(RunCall().status.ok());
  EXPECT_GE(SteadyNow() - before, absl::Milliseconds(19));
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
}

TEST_P(StreamTest, HeadersThenAbortedIsCommitted) {
  server_.Script({Aborted().HeadersFirst().After(Answer::kAll), Succeeds()});
  StreamPlan plan;
  plan.asks_for_headers = true;
  const StreamResult result = RunCall(plan);
  if (AnswersOne() && Hijacked() && result.status.ok()) {
    // The attempt had ended before its headers were asked for: none was shown.
    EXPECT_THAT(server_.arrivals(), SizeIs(2));
    return;
  }
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(result.status.error_message(),
              HasSubstr("stopped: answer already begun"));
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, AMessageThenAbortedIsCommitted) {
  Answer begun = Succeeds();
  begun.status = grpc::Status(grpc::StatusCode::ABORTED, "conflict");
  server_.Script({begun, Succeeds()});
  const StreamResult result = RunCall();
  if (AnswersOne() && !Generic() && style() != StreamStyle::kCallback) {
    // Nothing was shown before the end.
    EXPECT_TRUE(result.status.ok());
    EXPECT_THAT(server_.arrivals(), SizeIs(2));
    return;
  }
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  if (!AnswersOne()) {
    EXPECT_THAT(result.messages, ElementsAreArray(Answers()));
  }
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, HeadersOfALaterAttemptCommitItToo) {
  if (AnswersOne() && !Generic()) return;
  Answer begun = Succeeds();
  begun.status = grpc::Status(grpc::StatusCode::ABORTED, "conflict");
  server_.Script({Aborted(), begun, Succeeds()});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(result.status.error_message(),
              HasSubstr("stopped: answer already begun"));
  EXPECT_THAT(result.messages, ElementsAreArray(Answers()));
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
}

TEST_P(StreamTest, AStreamThatEndsWithoutAMessageIsASuccess) {
  if (AnswersOne()) return;
  Answer nothing;
  server_.Script({Aborted(), nothing.After(Answer::kAll)});
  const StreamResult result = RunCall();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.messages, IsEmpty());
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
}

TEST_P(StreamTest, AFirstMessageOverTheBufferIsNotReplayed) {
  MethodPolicy policy = Eagerly();
  policy.replay_buffer = 100;
  options_.policy = policy;
  server_.Script({Aborted(), Succeeds()});
  const StreamResult result = RunCall(Sending({std::string(200, 'a'), "b"}));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, ALaterMessageOverTheBufferCommitsTheStream) {
  if (SendsOne()) return;
  MethodPolicy policy = Eagerly();
  policy.replay_buffer = 100;
  options_.policy = policy;
  server_.Script({Aborted().After(2), Succeeds()});
  StreamPlan plan = Sending({"a", std::string(200, 'b')});
  const StreamResult result = RunCall(plan);
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, AMessageOverTheBufferSentInTheBackoffEndsIt) {
  if (SendsOne()) return;
  MethodPolicy policy = Patient();
  policy.replay_buffer = 100;
  options_.policy = policy;
  auto recorder = std::make_shared<Recorder>();
  options_.observer = recorder;
  server_.Script({Aborted(), Succeeds()});
  StreamPlan plan = Sending({"a", std::string(200, 'b')});
  // By the second write the first attempt has failed, or is about to.
  plan.before_send = [this](size_t index) {
    if (index == 1) server_.AwaitIdle();
  };
  const StreamResult result = RunCall(plan);
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, TheCeilingOfTheProcessCommitsStreamsToo) {
  SetProcessReplayLimit(100);
  server_.Script({Aborted(), Succeeds()});
  const StreamResult result = RunCall(Sending({std::string(200, 'a'), "b"}));
  SetProcessReplayLimit(int64_t{64} << 20);
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, AttemptTimeoutThenAbortedThenOkIsThreeAttempts) {
  MethodPolicy policy = Eagerly();
  policy.attempt_timeout = absl::Milliseconds(100);
  policy.connect_allowance = absl::ZeroDuration();
  options_.policy = policy;
  server_.Script({Answer::Hangs(), Aborted(), Succeeds()});
  const StreamResult result = RunCall();
  // The third may time out, too, on a slow machine; then the fourth answers.
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(server_.arrivals(), SizeIs(Ge(2)));
}

TEST_P(StreamTest, EveryAttemptTimingOutEndsWithThat) {
  MethodPolicy policy = Eagerly();
  policy.attempt_timeout = absl::Milliseconds(20);
  policy.max_attempts = 2;
  policy.connect_allowance = absl::ZeroDuration();
  options_.policy = policy;
  server_.Script({Answer::Hangs()});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(result.status.error_message(), HasSubstr("2 attempts in"));
  EXPECT_THAT(server_.arrivals(), SizeIs(Le(2)));  // One may not have left.
  server_.AwaitIdle();
}

TEST_P(StreamTest, ADeadlineInAnAttemptEndsTheCall) {
  context_.set_deadline(std::chrono::system_clock::now() +
                        std::chrono::milliseconds(100));
  server_.Script({Answer::Hangs()});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(server_.arrivals(), SizeIs(Le(1)));
  server_.AwaitIdle();
}

// gRPC enforces the call's time. A timer of ours beside it would only race it,
// and make a cancellation of some deadlines.
TEST_P(StreamTest, ADeadlineAloneStartsNoTimer) {
  context_.set_deadline(std::chrono::system_clock::now() +
                        std::chrono::seconds(60));
  server_.Script({Answer::Hangs()});
  std::thread canceller([this] {
    server_.AwaitArrivals(1);
    EXPECT_EQ(InFlight::Count(InFlight::kAlarm), 0);
    context_.TryCancel();
  });
  const StreamResult result = RunCall();
  canceller.join();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::CANCELLED);
}

TEST_P(StreamTest, ADeadlineTooCloseForAWaitEndsTheCallAtOnce) {
  options_.policy = Patient();
  context_.set_deadline(std::chrono::system_clock::now() +
                        std::chrono::seconds(60));
  server_.Script({Aborted()});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(result.status.error_message(), HasSubstr("deadline too close"));
}

TEST_P(StreamTest, ACallWithoutADeadlineHasTheDefaultOnTheWire) {
  MethodPolicy policy = Eagerly();
  policy.default_deadline = absl::Minutes(1);
  options_.policy = policy;
  server_.Script({Aborted(), Succeeds()});
  EXPECT_TRUE(RunCall().status.ok());
  ASSERT_THAT(server_.arrivals(), SizeIs(2));
  for (const Arrival& arrival : server_.arrivals()) {
    EXPECT_THAT(arrival.time_left, Le(absl::Minutes(1)));
  }
}

TEST_P(StreamTest, ACallsOwnDeadlineIsNoneToReplaceWithTheDefault) {
  MethodPolicy policy = Eagerly();
  policy.default_deadline = absl::Minutes(1);
  policy.max_deadline = absl::Minutes(59);
  options_.policy = policy;
  context_.set_deadline(std::chrono::system_clock::now() +
                        std::chrono::hours(1));
  server_.Script({Succeeds()});
  EXPECT_TRUE(RunCall().status.ok());
  ASSERT_THAT(server_.arrivals(), SizeIs(1));
  EXPECT_THAT(server_.arrivals()[0].time_left,
              AllOf(Gt(absl::Minutes(50)), Le(absl::Minutes(59))));
}

TEST_P(StreamTest, ADeadlineAlreadyPastIsNoAttempt) {
  context_.set_deadline(std::chrono::system_clock::now() -
                        std::chrono::seconds(1));
  server_.Script({Succeeds()});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(server_.arrivals(), IsEmpty());
}

TEST_P(StreamTest, CancellingAnAttemptEndsTheCall) {
  server_.Script({Aborted(), Answer::Hangs()});
  std::thread canceller([this] {
    server_.AwaitArrivals(2);
    context_.TryCancel();
  });
  const StreamResult result = RunCall();
  canceller.join();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
  server_.AwaitIdle();
}

TEST_P(StreamTest, CancellingABackoffEndsTheCall) {
  options_.policy = Patient();
  server_.Script({Aborted()});
  std::thread canceller([this] {
    while (InFlight::Count(InFlight::kAlarm) == 0) std::this_thread::yield();
    context_.TryCancel();
  });
  const StreamResult result = RunCall();
  canceller.join();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(StreamTest, ALongStreamGoesOnAfterItsAttemptsOwnTime) {
  if (AnswersOne() || SendsOne()) return;
  MethodPolicy policy = Eagerly();
  policy.attempt_timeout = absl::Milliseconds(50);
  options_.policy = policy;
  server_.Script({Aborted(), Answer::Echoes()});
  StreamPlan plan;
  plan.sends = {"a"};
  std::atomic<bool> echoed{false};
  // The echo commits the stream; then its attempt's own time passes.
  plan.after_read = [&](size_t) { echoed = true; };
  if (style() == StreamStyle::kCallback ||
      style() == StreamStyle::kGenericCallback) {
    plan.before_close = [&] {
      const absl::Time start = SteadyNow();
      while (SteadyNow() - start < absl::Milliseconds(120)) {
        std::this_thread::yield();
      }
    };
  }
  const StreamResult result = RunCall(plan);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.messages, ElementsAre("a"));
}

TEST_P(StreamTest, ManyMessagesPassInOrderAfterARetry) {
  if (AnswersOne() || SendsOne()) return;
  StreamPlan plan;
  plan.sends.clear();
  for (int i = 0; i < 200; ++i) plan.sends.push_back(absl::StrCat("m", i));
  server_.Script({Aborted().After(3), Answer::Echoes()});
  const StreamResult result = RunCall(plan);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.messages, ElementsAreArray(plan.sends));
  EXPECT_EQ(result.sent, 200);
  const std::vector<Arrival> arrivals = server_.arrivals();
  ASSERT_THAT(arrivals, SizeIs(2));
  EXPECT_THAT(arrivals[1].requests, ElementsAreArray(Wire(plan.sends)));
}

TEST_P(StreamTest, ObserveChangesNothingAndTellsWhatItWouldHaveDone) {
  MethodPolicy policy = Eagerly();
  policy.mode = Mode::kObserve;
  options_.policy = policy;
  auto recorder = std::make_shared<Recorder>();
  options_.observer = recorder;
  server_.Script({Aborted(), Succeeds()});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(result.status.error_message(), "conflict");
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

// --- A stream that its owner drops ---

class DroppedStreamTest : public ::testing::TestWithParam<Path> {
 protected:
  void SetUp() override {
    options_.policy = Eagerly();
    RetryBudgetOptions roomy;
    roomy.ceiling = 1000;
    options_.process_budget = std::make_shared<RetryBudget>(roomy, SteadyNow());
    if (GetParam() == Path::kHijacked) {
      options_.interceptors.push_back(std::make_shared<Bystanders>());
    }
  }
  void TearDown() override {
    while (InFlight::Total() != 0 || ProcessReplayBytes() != 0) {
      std::this_thread::yield();
    }
  }
  std::shared_ptr<grpc::ChannelInterface> Channel() {
    return CreateChannel(server_.address(), grpc::InsecureChannelCredentials(),
                         options_);
  }
  ScriptedServer server_;
  ClientOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Paths, DroppedStreamTest,
                         ::testing::Values(Path::kDirect, Path::kHijacked),
                         [](const auto& info) {
                           return info.param == Path::kDirect ? "Direct"
                                                              : "Hijacked";
                         });

// Everything the owner holds goes: stream, context, stub and channel.
TEST_P(DroppedStreamTest, ItsFirstAttemptIsCancelledAndItsTimerGoes) {
  MethodPolicy policy = Eagerly();
  policy.attempt_timeout = absl::Hours(1);
  options_.policy = policy;
  server_.Script({Answer::Hangs()});
  auto channel = Channel();
  auto context = std::make_unique<grpc::ClientContext>();
  auto stream = Kinds::NewStub(channel)->Chat(context.get());
  EXPECT_TRUE(stream->Write(NoteOf("a")));
  server_.AwaitArrivals(1);
  channel.reset();
  stream.reset();
  context.reset();
  server_.AwaitIdle();
}

TEST_P(DroppedStreamTest, ALaterAttemptIsCancelled) {
  server_.Script({Aborted(), Answer::Hangs()});
  auto channel = Channel();
  auto context = std::make_unique<grpc::ClientContext>();
  auto stream = Kinds::NewStub(channel)->Chat(context.get());
  // A write that fails on the first attempt is sent by the second.
  while (server_.arrivals().size() < 2) {
    ASSERT_TRUE(stream->Write(NoteOf("a")));
  }
  channel.reset();
  stream.reset();
  context.reset();
  server_.AwaitIdle();
}

// --- Hedges: of a stream that answers one request ---

class HedgedStreamTest : public StreamTest {
 protected:
  HedgedStreamTest() { SetDelay(absl::Milliseconds(5)); }
  void SetDelay(absl::Duration delay) {
    MethodPolicy policy = Eagerly();
    policy.hedging.max_attempts = 3;
    policy.hedging.delay = delay;
    policy.hedging.assume_read = true;
    policy.hedging.cap = 1;
    options_.policy = policy;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Styles, HedgedStreamTest,
    ::testing::Combine(::testing::Values(StreamStyle::kSync,
                                         StreamStyle::kCallback,
                                         StreamStyle::kQueue),
                       ::testing::Values(StreamKind::kDownload),
                       ::testing::Values(Path::kDirect, Path::kHijacked)),
    [](const auto& info) {
      return absl::StrCat(
          StyleName(std::get<0>(info.param)),
          std::get<2>(info.param) == Path::kDirect ? "Direct" : "Hijacked");
    });

TEST_P(HedgedStreamTest, AHedgeAnswersInThePlaceOfAnAttemptThatHangs) {
  server_.Script(
      {Answer::Hangs(),
       Succeeds().WithHeader("x-header", "h").WithTrailer("x-trailer", "t")});
  const StreamResult result = RunCall();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.messages, ElementsAreArray(Answers()));
  EXPECT_EQ(context_.GetServerInitialMetadata().count("x-header"), 1);
  EXPECT_EQ(context_.GetServerTrailingMetadata().count("x-trailer"), 1);
  EXPECT_THAT(server_.arrivals(), SizeIs(Ge(2)));
  server_.AwaitIdle();  // The loser has been cancelled.
}

TEST_P(HedgedStreamTest, NoHedgeGoesOutWhereTheFirstAnswersInTime) {
  SetDelay(absl::Hours(1));
  server_.Script({Succeeds()});
  const StreamResult result = RunCall();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.messages, ElementsAreArray(Answers()));
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(HedgedStreamTest, OneAnswerOfSeveralAtOnceIsShownAndTheRestCancelled) {
  SetDelay(absl::ZeroDuration());
  server_.Script({Succeeds(), Answer::Hangs(), Succeeds()});
  const StreamResult result = RunCall();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.messages, ElementsAreArray(Answers()));
  server_.AwaitIdle();
}

TEST_P(HedgedStreamTest, AFailureThatMayPassBringsTheNextHedgeForward) {
  SetDelay(absl::Hours(1));
  server_.Script({Aborted(), Aborted(), Succeeds()});
  const StreamResult result = RunCall();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_THAT(result.messages, ElementsAreArray(Answers()));
  EXPECT_THAT(server_.arrivals(), SizeIs(3));
}

TEST_P(HedgedStreamTest, APermanentFailureOfAHedgeEndsTheCall) {
  server_.Script(
      {Answer::Hangs(),
       Answer::Fails(grpc::StatusCode::INVALID_ARGUMENT, "bad zone", "more")});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(result.status.error_details(), "more");
  server_.AwaitIdle();
}

TEST_P(HedgedStreamTest, TheCallEndsWhenAllAttemptsHaveFailed) {
  SetDelay(absl::Hours(1));
  server_.Script({Aborted()});
  const StreamResult result = RunCall();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(server_.arrivals(), SizeIs(3));
}

TEST_P(HedgedStreamTest, CancellingTheCallCancelsAllOfThem) {
  server_.Script({Answer::Hangs()});
  std::thread canceller([this] {
    server_.AwaitArrivals(2);
    context_.TryCancel();
  });
  const StreamResult result = RunCall();
  canceller.join();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::CANCELLED);
  server_.AwaitIdle();
}

}  // namespace
}  // namespace testing
}  // namespace forbear
