// What a policy file says of a server is what its guard does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/policy_file/load_policy.h"
#include "tests/server/kinds_server.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::SizeIs;

constexpr absl::Duration kMinute = absl::Minutes(1);

class FilePolicyTest : public ::testing::TestWithParam<Style> {
 protected:
  ~FilePolicyTest() override {
    server_.reset();
    Await([] { return InFlight::Total() == 0; });
  }

  // Starts a server by a file with this in its `server`.
  KindsServer& Serve(absl::string_view fields) {
    const std::string path =
        absl::StrCat(std::getenv("TEST_TMPDIR"), "/policy.json");
    std::ofstream(path) << R"({"server": {)" << fields << "}}";
    const auto policy = LoadPolicy(path);
    EXPECT_EQ(policy.status(), absl::OkStatus());
    server_ = std::make_unique<KindsServer>(GetParam(), policy->server);
    return *server_;
  }

  // The answer to a call that comes while another is in its handler, which the
  // server lets be.
  grpc::Status SecondOf(KindsServer& server) {
    std::atomic<int> runs{0};
    std::atomic<bool> done{false};
    server.script().run = [&](grpc::ServerContextBase*) {
      if (runs++ == 0) Await([&] { return done.load(); });
      return grpc::Status::OK;
    };
    std::thread first(
        [&] { EXPECT_TRUE(server.Call(Kind::kUnary, kMinute).status.ok()); });
    Await([&] { return runs == 1; });
    const grpc::Status status = server.Call(Kind::kUnary, kMinute).status;
    done = true;
    first.join();
    return status;
  }

  std::unique_ptr<KindsServer> server_;
};

INSTANTIATE_TEST_SUITE_P(Styles, FilePolicyTest,
                         ::testing::Values(Style::kSync, Style::kCallback),
                         [](const ::testing::TestParamInfo<Style>& info) {
                           return NameOf(info.param);
                         });

TEST_P(FilePolicyTest, ACallWithTooLittleTimeIsNotStarted) {
  KindsServer& server = Serve(R"("minimumTimeLeft": "3600s")");
  EXPECT_EQ(server.Call(Kind::kUnary, kMinute).status.error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(server.script().entered, 0);
}

TEST_P(FilePolicyTest, AHandlerHasTheServersTime) {
  for (absl::string_view fields :
       {R"("defaultDeadline": "0.02s")", R"("maxDeadline": "0.02s")"}) {
    KindsServer& server = Serve(fields);
    server.script().until_cancelled = true;
    EXPECT_EQ(
        server.Call(Kind::kUnary, absl::InfiniteDuration()).status.error_code(),
        grpc::StatusCode::DEADLINE_EXCEEDED);
    server.recorder().AwaitEnded(1);
  }
}

TEST_P(FilePolicyTest, WhoIsOverTheLimitIsSentAway) {
  for (absl::string_view limit :
       {R"("maxConcurrentCalls": 1)",
        R"("methods": [{"name": [{"service": "forbear.testing.Kinds",
                                  "method": "Unary"}],
                        "maxConcurrentCalls": 1}])"}) {
    KindsServer& server =
        Serve(absl::StrCat(limit, R"(, "queue": {"maxCalls": 0})"));
    EXPECT_EQ(SecondOf(server).error_code(),
              grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(server.script().entered, 1);
  }
}

TEST_P(FilePolicyTest, WhoHasWaitedForMaxTimeIsSentAway) {
  KindsServer& server = Serve(R"("maxConcurrentCalls": 1,
                                 "queue": {"maxTime": "0.01s"})");
  EXPECT_EQ(SecondOf(server).error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
  ASSERT_THAT(server.recorder().refused(), SizeIs(1));
  EXPECT_GE(server.recorder().refused()[0].queued, absl::Milliseconds(10));
}

TEST_P(FilePolicyTest, ObservingSendsNobodyAway) {
  KindsServer& server = Serve(R"("mode": "OBSERVE", "maxConcurrentCalls": 1,
                                 "queue": {"maxCalls": 0})");
  EXPECT_TRUE(SecondOf(server).ok());
  EXPECT_EQ(server.script().entered, 2);
}

TEST_P(FilePolicyTest, TurnedOffItIsAServerWithoutAGuard) {
  KindsServer& server = Serve(R"("mode": "OFF", "minimumTimeLeft": "3600s",
                                 "maxConcurrentCalls": 1,
                                 "queue": {"maxCalls": 0})");
  EXPECT_TRUE(SecondOf(server).ok());
}

}  // namespace
}  // namespace testing
}  // namespace forbear
