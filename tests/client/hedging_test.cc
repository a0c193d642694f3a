// What a hedged unary call promises, in every stub style, for calls that go
// direct and for calls that are taken over by the interceptor.

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/policy/pushback.h"
#include "tests/client/held_server.h"
#include "tests/client/recorder.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr absl::Duration kSoon = absl::Milliseconds(10);

// Reads of as many attempts, so far apart, as often as they like.
MethodPolicy Hedged(int attempts, absl::Duration delay) {
  MethodPolicy policy = Eager();
  policy.hedging.max_attempts = attempts;
  policy.hedging.delay = delay;
  policy.hedging.cap = 4;
  return policy;
}

class HedgingTest : public StylesTest {
 protected:
  // One read, on a channel of its own to a server that does so.
  ProbeResult CallRead(const HeldServer& server) {
    return Call(*Stub(server.address()), style(), ProbeMethod::kRead, &context_,
                "hello");
  }
};

INSTANTIATE_TEST_SUITE_P(
    Styles, HedgingTest,
    ::testing::Combine(::testing::Values(StubStyle::kSync, StubStyle::kCallback,
                                         StubStyle::kReactor,
                                         StubStyle::kQueue),
                       ::testing::Values(Path::kDirect, Path::kHijacked)),
    StyleAndPath);

// --- Who wins ---

TEST_P(HedgingTest, TakesTheAnswerOfTheSecondAndCancelsTheFirst) {
  options_.policy = Hedged(2, kSoon);
  HeldServer server([](HeldServer& held, int call) {
    if (call == 2) {
      held.Answer(2, grpc::Status::OK, "second", {{"x-trailer", "second"}});
    }
  });
  const ProbeResult result = CallRead(server);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.reply.text(), "second");
  const auto trailers = context_.GetServerTrailingMetadata();
  ASSERT_EQ(trailers.count("x-trailer"), 1);
  EXPECT_EQ(trailers.find("x-trailer")->second, "second");
  server.AwaitCancelled(1);
  EXPECT_EQ(server.arrivals(), 2);
  const std::string count(kPreviousAttemptsKey);
  EXPECT_THAT(server.Metadata(1, count), IsEmpty());
  EXPECT_THAT(server.Metadata(2, count), ElementsAre("1"));
}

TEST_P(HedgingTest, TakesTheAnswerOfTheFirstAndCancelsTheSecond) {
  options_.policy = Hedged(2, kSoon);
  HeldServer server([](HeldServer& held, int call) {
    if (call == 2) held.Succeed(1, "first");
  });
  const ProbeResult result = CallRead(server);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.reply.text(), "first");
  server.AwaitCancelled(2);
}

TEST_P(HedgingTest, TakesOneAnswerWhenBothComeAtOnce) {
  options_.policy = Hedged(2, absl::Milliseconds(1));
  HeldServer server(
      [](HeldServer& held, int call) {
        if (call % 2 != 0) return;
        held.Succeed(call - 1, "an answer");
        held.Succeed(call, "an answer");
      },
      HeldServer::Count::kArrivals);
  const auto stub = Stub(server.address());
  for (int i = 0; i < 50; ++i) {
    grpc::ClientContext context;
    const ProbeResult result =
        Call(*stub, style(), ProbeMethod::kRead, &context);
    EXPECT_TRUE(result.status.ok()) << result.status.error_message();
    EXPECT_EQ(result.reply.text(), "an answer");
  }
}

TEST_P(HedgingTest, SendsAllAtOnceWithoutADelay) {
  options_.policy = Hedged(3, absl::ZeroDuration());
  HeldServer server([](HeldServer& held, int call) {
    if (call == 3) held.Succeed(2, "second");
  });
  const ProbeResult result = CallRead(server);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.reply.text(), "second");
  server.AwaitCancelled(1);
  server.AwaitCancelled(3);
}

TEST_P(HedgingTest, SendsNothingMoreOnceTheFirstHasAnswered) {
  options_.policy = Hedged(2, absl::Hours(1));
  HeldServer server([](HeldServer& held, int call) { held.Succeed(call); });
  EXPECT_TRUE(CallRead(server).status.ok());
  EXPECT_EQ(server.arrivals(), 1);
}

TEST_P(HedgingTest, CarriesOneKeyOnEveryAttempt) {
  MethodPolicy policy = Hedged(2, kSoon);
  policy.server_honours_keys = true;
  options_.policy = policy;
  HeldServer server([](HeldServer& held, int call) {
    if (call == 2) held.Succeed(2);
  });
  context_.AddMetadata("x-mine", "kept");
  EXPECT_TRUE(CallRead(server).status.ok());
  const std::string key(kIdempotencyKey);
  EXPECT_THAT(server.Metadata(1, key), SizeIs(1));
  EXPECT_EQ(server.Metadata(2, key), server.Metadata(1, key));
  EXPECT_THAT(server.Metadata(2, "x-mine"), ElementsAre("kept"));
}

TEST_P(HedgingTest, HedgesWhatIsLaterThanMostOfItsCalls) {
  MethodPolicy policy = Hedged(2, absl::ZeroDuration());
  policy.hedging.percentile = 0.9;
  policy.hedging.least_measured = 20;
  options_.policy = policy;
  std::atomic<int> hedges{0};
  HeldServer server(
      [&hedges](HeldServer& held, int call) {
        if (!held.Metadata(call, std::string(kPreviousAttemptsKey)).empty()) {
          ++hedges;
        }
        held.Succeed(call);
      },
      HeldServer::Count::kArrivals);
  const auto stub = Stub(server.address());
  // A call that takes longer than nine of ten comes by itself.
  while (hedges == 0) {
    grpc::ClientContext context;
    EXPECT_TRUE(Call(*stub, style(), ProbeMethod::kRead, &context).status.ok());
  }
  EXPECT_GT(server.arrivals(), 20);
}

// --- Failures ---

TEST_P(HedgingTest, SendsTheNextAtOnceWhenTheFirstFails) {
  options_.policy = Hedged(2, absl::Hours(1));
  HeldServer server([](HeldServer& held, int call) {
    if (call == 1) held.Fail(1);
    if (call == 2) held.Succeed(2, "second");
  });
  const ProbeResult result = CallRead(server);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.reply.text(), "second");
}

TEST_P(HedgingTest, BringsTheNextForwardWhenAHedgeFails) {
  MethodPolicy policy = Hedged(3, kSoon);
  options_.policy = policy;
  HeldServer server([](HeldServer& held, int call) {
    if (call == 2) held.Fail(2);
    if (call == 3) held.Succeed(3, "third");
  });
  const ProbeResult result = CallRead(server);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.reply.text(), "third");
  server.AwaitCancelled(1);
}

TEST_P(HedgingTest, EndsWithAFailureThatIsAnAnswer) {
  options_.policy = Hedged(3, kSoon);
  HeldServer server([](HeldServer& held, int call) {
    if (call == 2) held.Fail(2, grpc::StatusCode::NOT_FOUND);
  });
  const grpc::Status status = CallRead(server).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), HasSubstr("failed"));
  server.AwaitCancelled(1);
}

TEST_P(HedgingTest, EndsWhenAllHaveFailedAtTheSameInstant) {
  options_.policy = Hedged(2, kSoon);
  HeldServer server([](HeldServer& held, int call) {
    if (call != 2) return;
    held.Fail(1);
    held.Fail(2);
  });
  context_.set_deadline(std::chrono::system_clock::now() +
                        std::chrono::hours(1));
  const grpc::Status status = CallRead(server).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(),
              HasSubstr("failed (forbear: 2 attempts in "));
  EXPECT_THAT(status.error_message(), HasSubstr("stopped: attempts spent"));
  EXPECT_EQ(server.arrivals(), 2);
}

TEST_P(HedgingTest, SendsNoMoreAfterAPushbackThatSaysNo) {
  options_.policy = Hedged(3, kSoon);
  HeldServer server([](HeldServer& held, int call) {
    if (call != 2) return;
    held.Answer(2, grpc::Status(grpc::StatusCode::UNAVAILABLE, "go away"), "",
                {{std::string(kPushbackKey), "-1"}});
    held.Succeed(1, "first");
  });
  const ProbeResult result = CallRead(server);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.reply.text(), "first");
  EXPECT_EQ(server.arrivals(), 2);
}

TEST_P(HedgingTest, WaitsForAPushbackWithNothingUnderWay) {
  options_.policy = Hedged(2, absl::Hours(1));
  HeldServer server([](HeldServer& held, int call) {
    if (call == 2) return held.Succeed(2, "second");
    held.Answer(1, grpc::Status(grpc::StatusCode::UNAVAILABLE, "busy"), "",
                {{std::string(kPushbackKey), "5"}});
  });
  const ProbeResult result = CallRead(server);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.reply.text(), "second");
}

// --- Ends from outside ---

TEST_P(HedgingTest, EndsWithTheDeadlineOfTheCall) {
  options_.policy = Hedged(3, absl::Milliseconds(1));
  HeldServer server([](HeldServer&, int) {});
  context_.set_deadline(std::chrono::system_clock::now() +
                        std::chrono::milliseconds(60));
  EXPECT_EQ(CallRead(server).status.error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_P(HedgingTest, ReturnsWhenCancelledWithAllOfThemUnderWay) {
  options_.policy = Hedged(2, kSoon);
  HeldServer server([this](HeldServer&, int call) {
    if (call == 2) context_.TryCancel();
  });
  EXPECT_EQ(CallRead(server).status.error_code(), grpc::StatusCode::CANCELLED);
  server.AwaitCancelled(1);
  server.AwaitCancelled(2);
}

TEST_P(HedgingTest, ReturnsWhenCancelledBeforeAnyHedge) {
  options_.policy = Hedged(2, absl::Hours(1));
  HeldServer server([this](HeldServer&, int) { context_.TryCancel(); });
  EXPECT_EQ(CallRead(server).status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(server.arrivals(), 1);
}

TEST_P(HedgingTest, SendsNothingWhenCancelledBeforehand) {
  options_.policy = Hedged(3, absl::ZeroDuration());
  HeldServer server([](HeldServer&, int) {});
  context_.TryCancel();
  EXPECT_EQ(CallRead(server).status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(server.arrivals(), 0);
}

// --- What is not hedged ---

TEST_P(HedgingTest, HedgesNoWrites) {
  options_.policy = Hedged(3, absl::ZeroDuration());
  HeldServer server([](HeldServer& held, int call) { held.Succeed(call); },
                    HeldServer::Count::kArrivals);
  for (const ProbeMethod method : {ProbeMethod::kPut, ProbeMethod::kCharge}) {
    grpc::ClientContext context;
    EXPECT_TRUE(
        Call(*Stub(server.address()), style(), method, &context).status.ok());
  }
  EXPECT_EQ(server.arrivals(), 2);
}

TEST_P(HedgingTest, HedgesAnythingThatThePolicyCallsARead) {
  MethodPolicy policy = Hedged(2, absl::ZeroDuration());
  policy.hedging.assume_read = true;
  options_.policy = policy;
  HeldServer server([](HeldServer& held, int call) {
    if (call == 2) held.Succeed(2);
  });
  EXPECT_TRUE(
      Call(*Stub(server.address()), style(), ProbeMethod::kCharge, &context_)
          .status.ok());
}

TEST_P(HedgingTest, GoesOnWithoutAHedgeThatIsNotAllowed) {
  MethodPolicy policy = Hedged(2, absl::ZeroDuration());
  HeldServer server([](HeldServer& held, int call) { held.Succeed(call); },
                    HeldServer::Count::kArrivals);
  policy.hedging.cap = 0;
  options_.policy = policy;
  EXPECT_TRUE(CallRead(server).status.ok());
  policy.hedging.cap = 4;
  options_.policy = policy;
  RetryBudgetOptions nothing;
  nothing.ceiling = 0;
  nothing.ratio = 0;
  nothing.floor = 0;
  options_.process_budget = std::make_shared<RetryBudget>(nothing, SteadyNow());
  grpc::ClientContext context;
  EXPECT_TRUE(
      Call(*Stub(server.address()), style(), ProbeMethod::kRead, &context)
          .status.ok());
  EXPECT_EQ(server.arrivals(), 2);
}

// --- What is seen of it, and what is left ---

TEST_P(HedgingTest, TellsTheObserverOfEachBeginningAndEndOnce) {
  const auto recorder = std::make_shared<Recorder>();
  options_.observer = recorder;
  options_.policy = Hedged(2, kSoon);
  HeldServer server([](HeldServer& held, int call) {
    if (call == 2) held.Succeed(2);
  });
  EXPECT_TRUE(CallRead(server).status.ok());
  EXPECT_THAT(
      recorder->events(),
      UnorderedElementsAre("call started", "attempt 1 started",
                           "attempt 2 started beside others",
                           "attempt 2 ended OK", "attempt 1 ended CANCELLED",
                           "call ended OK after 2, succeeded"));
  EXPECT_EQ(recorder->events().back(), "call ended OK after 2, succeeded");
}

TEST_P(HedgingTest, LeavesNothingOfManyCallsAtOnce) {
  options_.policy = Hedged(3, absl::Milliseconds(1));
  HeldServer server(
      [](HeldServer& held, int call) {
        // A third of the calls hang, but for their hedges.
        const std::string count(kPreviousAttemptsKey);
        if (!held.Metadata(call, count).empty() || call % 3 != 0) {
          held.Succeed(call, "hi");
        }
      },
      HeldServer::Count::kArrivals);
  const auto stub = Stub(server.address());
  std::atomic<int> succeeded{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 40; ++i) {
        grpc::ClientContext context;
        const ProbeResult result =
            Call(*stub, style(), ProbeMethod::kRead, &context);
        if (result.status.ok() && result.reply.text() == "hi") ++succeeded;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(succeeded, 320);
}

// Where an attempt goes is up to the balancer, as for any call: round_robin
// sends the hedge, which is its next call, elsewhere.
TEST_P(HedgingTest, GoesToAnotherBackendUnderRoundRobin) {
  options_.policy = Hedged(2, kSoon);
  options_.arguments.SetServiceConfigJSON(
      R"({"loadBalancingConfig":[{"round_robin":{}}]})");
  std::mutex mutex;
  bool warm = false;
  int elsewhere = 0;
  std::vector<std::pair<HeldServer*, int>> pair;  // Of one call.
  const auto answer = [&](HeldServer& held, int call) {
    std::unique_lock<std::mutex> lock(mutex);
    if (warm) pair.emplace_back(&held, call);
    if (warm && pair.size() < 2) return;
    if (warm) elsewhere += pair[0].first != pair[1].first ? 1 : 0;
    pair.clear();
    lock.unlock();
    held.Succeed(call);
  };
  HeldServer one(answer, HeldServer::Count::kArrivals);
  HeldServer two(answer, HeldServer::Count::kArrivals);
  const auto stub =
      Stub(absl::StrCat("ipv4:", one.address(), ",", two.address()));
  const auto call = [&] {
    grpc::ClientContext context;
    EXPECT_TRUE(Call(*stub, style(), ProbeMethod::kRead, &context).status.ok());
  };
  while (one.arrivals() == 0 || two.arrivals() == 0) call();
  {
    std::lock_guard<std::mutex> lock(mutex);
    warm = true;
  }
  for (int i = 0; i < 20; ++i) call();
  EXPECT_EQ(elsewhere, 20);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
