// Compiles the code of README.md as it stands there, and runs what can be run.
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/server_builder.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/client/call_options.h"
#include "interceptors/client/channel.h"
#include "interceptors/client/outcome.h"
#include "interceptors/client/warm_up.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/policy_file/load_policy.h"
#include "interceptors/policy_file/policy_file.h"
#include "interceptors/reply_cache/redis_store.h"
#include "interceptors/reply_cache/reply_cache.h"
#include "interceptors/server/server_guard.h"
#include "interceptors/telemetry/observer.h"
#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/scripted_callee.h"
#include "interceptors/testing/scripted_server.h"
#include "interceptors/testing/split_mix64.h"
#include "proto/shop.grpc.pb.h"
#include "proto/testing/probe.grpc.pb.h"

namespace {

// What README takes for granted around its code.

struct Counters {
  void Add(absl::string_view name, int) { names.emplace_back(name); }
  std::vector<std::string> names;
} counters;

struct Database {
  void Query(const std::string&, absl::Duration time) { asked = time; }
  absl::Duration asked;
};

struct Queue {
  void Add(std::function<void()> work) { later = std::move(work); }
  std::function<void()> later;
};

enum OrderState { PAID, PENDING };

forbear::MethodPolicy RoutesPolicy() { return {}; }

#include "tests/readme/observer.inc"

TEST(ReadmeTest, AClientIsMadeInAFewLines) {
  const auto credentials = grpc::InsecureChannelCredentials();
#include "tests/readme/client.inc"
  EXPECT_NE(stub, nullptr);
}

TEST(ReadmeTest, AServerIsGuardedInAFewLines) {
  shop::Routes::Service service;
#include "tests/readme/server.inc"
  EXPECT_TRUE(guard.status().ok());
}

TEST(ReadmeTest, AServerIsLimitedInAFewLines) {
#include "tests/readme/limits.inc"
  EXPECT_TRUE(guard.status().ok());
}

grpc::Status Estimate(const shop::EstimateRequest&, shop::EstimateReply*) {
  return grpc::Status::OK;
}

// Compiled, and run where there is a call (tests/server/guarded_call_test.cc).
[[maybe_unused]] void TakesACallFromItsQueue(
    forbear::ServerGuard& guard, grpc::ServerContext* context,
    grpc::ServerAsyncResponseWriter<shop::EstimateReply>& writer,
    const shop::EstimateRequest& request, void* tag) {
  shop::EstimateReply reply;
#include "tests/readme/enter.inc"
}

TEST(ReadmeTest, RepliesAreKeptInAFewLines) {
  forbear::ServerOptions options;
#include "tests/readme/replies.inc"
  EXPECT_EQ(options.Validate(), absl::OkStatus());
}

TEST(ReadmeTest, AReadIsHedgedInAFewLines) {
#include "tests/readme/hedging.inc"
  EXPECT_TRUE(estimate.hedging.enabled());
  EXPECT_EQ(estimate.Validate(), absl::OkStatus());
}

TEST(ReadmeTest, WorkThatGoesOnLaterTakesItsScopeAlong) {
  Database database;
  Queue queue;
  const std::string sql = "select";
  forbear::CallScope::Inbound inbound;
  forbear::CallScope::Enter handler(
      std::make_shared<forbear::CallScope>(inbound));
#include "tests/readme/scope.inc"
  EXPECT_EQ(forbear::CallScope::Current(), nullptr);
  queue.later();
  EXPECT_EQ(database.asked, absl::InfiniteDuration());
}

TEST(ReadmeTest, ACallerTellsNotDoneFromNobodyKnows) {
  forbear::testing::ScriptedServer server;
  server.Script(
      {forbear::testing::Answer::Fails(grpc::StatusCode::UNAVAILABLE, "gone")});
  const auto stub = forbear::testing::Probe::NewStub(forbear::CreateChannel(
      server.address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  const forbear::testing::Ask request;
  forbear::testing::Reply reply;
  struct {
    OrderState state = PAID;
  } order;
#include "tests/readme/outcome.inc"
  EXPECT_EQ(order.state, PENDING);
}

TEST(ReadmeTest, OneCallMayWantOtherwise) {
  forbear::testing::ScriptedServer server;
  server.Script(
      {forbear::testing::Answer::Succeeds(forbear::testing::Reply())});
  const auto channel = forbear::CreateChannel(
      server.address(), grpc::InsecureChannelCredentials());
#include "tests/readme/warm_up.inc"
  EXPECT_EQ(ready, absl::OkStatus());
  const auto stub = forbear::testing::Probe::NewStub(channel);
  const forbear::testing::Ask request;
  forbear::testing::Reply reply;
  struct {
    std::string id = "order-17";
  } order;
#include "tests/readme/call_options.inc"
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(server.arrivals()[0].Values("idempotency-key"),
            std::vector<std::string>{"order-17"});
}

TEST(ReadmeTest, AnObserverCountsWhatItIsTold) {
  RefusedRetries observer;
  forbear::Observer& told = observer;
  forbear::Observer::Refusal refusal;
  refusal.gate = forbear::Verdict::kBudgetSpent;
  told.RetryRefused(refusal);
  EXPECT_EQ(counters.names, std::vector<std::string>{"budget_spent"});
}

std::string ContentOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

TEST(ReadmeTest, ItsPolicyFileIsTheExampleAndTakesEffectInAFewLines) {
  EXPECT_EQ(ContentOf("tests/readme/policy.json"),
            ContentOf("examples/policy/shop.json"));
  const std::string path = "examples/policy/shop.json";
  forbear::ClientOptions options;
  const auto load = [&]() -> absl::Status {
#include "tests/readme/policy.inc"
    EXPECT_TRUE(guard.status().ok());
    return absl::OkStatus();
  };
  EXPECT_EQ(load(), absl::OkStatus());
  EXPECT_EQ(options.policy.methods.For("/shop.Routes/Estimate").max_deadline,
            absl::Seconds(3));
}

TEST(ReadmeTest, AChannelFollowsItsFileInALine) {
  const std::string path = "examples/policy/shop.json";
  forbear::ClientOptions options;
  const auto open = [&]() -> absl::Status {
#include "tests/readme/reload.inc"
    return absl::OkStatus();
  };
  EXPECT_EQ(open(), absl::OkStatus());
  EXPECT_NE(options.policy_file, nullptr);
}

TEST(ReadmeTest, APolicyIsTestedOnAManualClock) {
#include "tests/readme/testing.inc"
}

}  // namespace
