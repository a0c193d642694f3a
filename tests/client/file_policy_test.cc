// What a policy file says of a client is what its calls do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/policy_file/load_policy.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::AllOf;
using ::testing::Gt;
using ::testing::Le;
using ::testing::SizeIs;

constexpr absl::string_view kQuick =
    R"("repeatable": true, "backoff": {"initial": "0.001s", "max": "0.001s"})";

class FilePolicyTest : public StylesTest {
 protected:
  void Follow(absl::string_view file) {
    const auto policy = ParsePolicy(file);
    ASSERT_EQ(policy.status(), absl::OkStatus());
    options_.policy = policy->client;
  }
  // A policy of everything.
  void FollowFor(absl::string_view fields) {
    Follow(absl::StrCat(R"({"methods": [{"name": [{}], )", fields, "}]}"));
  }

  grpc::Status CallAgain(absl::Duration timeout) {
    grpc::ClientContext context;
    if (timeout != absl::InfiniteDuration()) {
      context.set_deadline(std::chrono::system_clock::now() +
                           absl::ToChronoMilliseconds(timeout));
    }
    return Call(*Stub(server_.address()), style(), ProbeMethod::kPut, &context)
        .status;
  }

  static Answer Down() {
    return Answer::Fails(grpc::StatusCode::UNAVAILABLE, "down");
  }

  ScriptedServer server_;
};

INSTANTIATE_TEST_SUITE_P(Styles, FilePolicyTest, AllStyles(), StyleAndPath);

// The server reads the time left off the wire.
TEST_P(FilePolicyTest, DefaultAndMaximumDeadlinesAreOnTheWire) {
  FollowFor(R"("defaultDeadline": "600s", "maxDeadline": "3000s")");
  server_.Script({Answer::Succeeds(ReplyOf("up"))});
  EXPECT_TRUE(CallAgain(absl::InfiniteDuration()).ok());
  EXPECT_TRUE(CallAgain(absl::Hours(2)).ok());
  EXPECT_TRUE(CallAgain(absl::Minutes(2)).ok());
  const auto arrivals = server_.arrivals();
  ASSERT_THAT(arrivals, SizeIs(3));
  EXPECT_THAT(arrivals[0].time_left,  // None of its own: the default.
              AllOf(Gt(absl::Minutes(2)), Le(absl::Minutes(10))));
  EXPECT_THAT(arrivals[1].time_left,  // Longer than the maximum: that.
              AllOf(Gt(absl::Minutes(10)), Le(absl::Minutes(50))));
  EXPECT_THAT(arrivals[2].time_left,  // Shorter than both: its own.
              AllOf(Gt(absl::ZeroDuration()), Le(absl::Minutes(2))));
}

TEST_P(FilePolicyTest, TheModeOfAMethodIsKeptTo) {
  server_.Script({Down()});
  for (const char* mode : {"OFF", "OBSERVE"}) {
    FollowFor(absl::StrCat(R"("mode": ")", mode,
                           R"(", "defaultDeadline": "60s", )", kQuick));
    const size_t before = server_.arrivals().size();
    EXPECT_FALSE(CallAgain(absl::InfiniteDuration()).ok());
    ASSERT_THAT(server_.arrivals(), SizeIs(before + 1));
    EXPECT_EQ(server_.arrivals()[before].time_left, absl::InfiniteDuration());
  }
  FollowFor(absl::StrCat(R"("mode": "ENFORCE", )", kQuick));
  const size_t before = server_.arrivals().size();
  EXPECT_FALSE(CallAgain(absl::InfiniteDuration()).ok());
  EXPECT_THAT(server_.arrivals(), SizeIs(before + 4));
}

TEST_P(FilePolicyTest, AServiceConfigIsFollowedAsGrpcMeansIt) {
  Follow(R"({"methodConfig": [{
      "name": [{"service": "forbear.testing.Probe", "method": "Put"}],
      "timeout": "60s", "retryPolicy": {"maxAttempts": 3,
          "initialBackoff": "0.001s", "maxBackoff": "0.001s",
          "backoffMultiplier": 1, "retryableStatusCodes": ["ABORTED"]}}]})");
  server_.Script({Answer::Fails(grpc::StatusCode::ABORTED, "lost")});
  EXPECT_EQ(CallAgain(absl::Hours(1)).error_code(), grpc::StatusCode::ABORTED);
  ASSERT_THAT(server_.arrivals(), SizeIs(3));
  EXPECT_THAT(server_.arrivals()[0].time_left, Le(absl::Minutes(1)));
}

TEST_P(FilePolicyTest, AReadIsHedged) {
  if (style() == StubStyle::kQueueInTwo) GTEST_SKIP() << "not hedged by time";
  FollowFor(R"("hedging": {"maxAttempts": 2, "assumeRead": true, "cap": 1})");
  server_.Script({Answer::Hangs(), Answer::Succeeds(ReplyOf("up"))});
  EXPECT_TRUE(CallAgain(absl::InfiniteDuration()).ok());
  EXPECT_THAT(server_.arrivals(), SizeIs(2));
}

TEST_P(FilePolicyTest, AServerThatHonoursKeysIsSentOne) {
  FollowFor(R"("serverHonoursKeys": true)");
  server_.Script({Answer::Succeeds(ReplyOf("up"))});
  EXPECT_TRUE(CallAgain(absl::InfiniteDuration()).ok());
  EXPECT_THAT(server_.arrivals()[0].Values("idempotency-key"), SizeIs(1));
}

// Nobody listens there.
TEST_P(FilePolicyTest, ACallWaitsForItsChannelIfItShall) {
  for (const bool wait : {false, true}) {
    FollowFor(absl::StrCat(R"("waitForReady": )", wait ? "true" : "false",
                           R"(, "maxAttempts": 1)"));
    grpc::ClientContext context;
    if (wait) {
      context.set_deadline(std::chrono::system_clock::now() +
                           std::chrono::milliseconds(50));
    }
    EXPECT_EQ(Call(*Stub("127.0.0.1:1"), style(), ProbeMethod::kPut, &context)
                  .status.error_code(),
              wait ? grpc::StatusCode::DEADLINE_EXCEEDED
                   : grpc::StatusCode::UNAVAILABLE);
  }
}

TEST_P(FilePolicyTest, ATargetsBudgetIsItsOwn) {
  Follow(absl::StrCat(
      R"({"methods": [{"name": [{}], )", kQuick, R"(}],
          "targetBudget": {"ratio": 1, "ceiling": 100},
          "targets": [{"target": ")",
      server_.address(),
      R"(", "budget": {"ratio": 0, "ceiling": 1, "floor": 0}}]})"));
  server_.Script({Down()});
  EXPECT_FALSE(CallAgain(absl::InfiniteDuration()).ok());
  EXPECT_THAT(server_.arrivals(), SizeIs(2));  // One retry, and no more.
}

}  // namespace
}  // namespace testing
}  // namespace forbear
