// gRPC's own retries and ours never multiply: attempts are counted at the
// server.
#include <grpc/support/log.h>

#include <atomic>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/client/outcome.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/name_server.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::SizeIs;

// Three attempts at reads, by gRPC.
constexpr char kReadsByGrpc[] =
    R"({"methodConfig":[{"name":[{"service":"forbear.testing.Probe",)"
    R"("method":"Read"}],"retryPolicy":{"maxAttempts":3,)"
    R"("initialBackoff":"0.001s","maxBackoff":"0.001s","backoffMultiplier":1,)"
    R"("retryableStatusCodes":["UNAVAILABLE"]}}]})";

class OneLayerTest : public StylesTest {
 protected:
  OneLayerTest() {
    options_.arguments.SetServiceConfigJSON(kReadsByGrpc);
    server_.Script(
        {Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting")});
  }

  void ExpectGrpcAlone(const grpc::Status& status) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(status.error_message(), "restarting");
    EXPECT_THAT(server_.arrivals(), SizeIs(3));
  }

  void ExpectOursAlone(const grpc::Status& status) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(status.error_message(), HasSubstr("(forbear: 4 attempts in "));
    EXPECT_THAT(server_.arrivals(), SizeIs(4));
  }

  ScriptedServer server_;
};

INSTANTIATE_TEST_SUITE_P(Styles, OneLayerTest, AllStyles(), StyleAndPath);

TEST_P(OneLayerTest, IsGrpcsWhereTheChannelHasARetryPolicy) {
  ExpectGrpcAlone(CallOnce(server_.address(), ProbeMethod::kRead));
}

TEST_P(OneLayerTest, IsGrpcsWhereTheResolverBringsAPolicyAfterTheCallBegan) {
  NameServer names(kReadsByGrpc);
  options_.arguments = grpc::ChannelArguments();
  options_.arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 0);
  ExpectGrpcAlone(CallOnce(names.Target("shop.test", server_.address()),
                           ProbeMethod::kRead));
}

TEST_P(OneLayerTest, IsOursForMethodsThatTheConfigLeavesOut) {
  ExpectOursAlone(CallOnce(server_.address(), ProbeMethod::kPut));
}

TEST_P(OneLayerTest, IsOursWhereItTakesOver) {
  options_.take_over = true;
  ExpectOursAlone(CallOnce(server_.address(), ProbeMethod::kRead));
}

TEST_P(OneLayerTest, IsOursWhereTheUserTurnedGrpcsOff) {
  options_.arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  ExpectOursAlone(CallOnce(server_.address(), ProbeMethod::kRead));
}

TEST_P(OneLayerTest, OfGrpcsHasTheTimeOfTheCallAndNotOfOneAttempt) {
  MethodPolicy policy = Eager();
  policy.attempt_timeout = absl::Milliseconds(20);
  policy.connect_allowance = absl::ZeroDuration();
  policy.max_deadline = absl::Hours(1);
  options_.policy = policy;
  ExpectGrpcAlone(CallOnce(server_.address(), ProbeMethod::kRead));
  for (const Arrival& arrival : server_.arrivals()) {
    EXPECT_THAT(arrival.time_left, Gt(absl::Minutes(59)));
    EXPECT_THAT(arrival.time_left, Le(absl::Minutes(61)));
  }
}

TEST_P(OneLayerTest, OfGrpcsSendsOurKeyWithEveryAttempt) {
  MethodPolicy policy = Eager();
  policy.server_honours_keys = true;
  options_.policy = policy;
  ExpectGrpcAlone(CallOnce(server_.address(), ProbeMethod::kRead));
  const std::string name(kIdempotencyKey);
  const std::vector<Arrival> arrivals = server_.arrivals();
  EXPECT_THAT(arrivals[0].Values(name), SizeIs(1));
  EXPECT_EQ(arrivals[1].Values(name), arrivals[0].Values(name));
  EXPECT_EQ(arrivals[2].Values(name), arrivals[0].Values(name));
}

std::atomic<int> said{0};

TEST_P(OneLayerTest, IsSaidOnceInTheLog) {
  said = 0;
  gpr_set_log_function([](gpr_log_func_args* line) {
    const absl::string_view text(line->message);
    if (absl::StrContains(text,
                          "has a retryPolicy for /forbear.testing.Probe/"
                          "Read, so gRPC retries it")) {
      ++said;
    }
  });
  const auto stub = Stub(server_.address());
  for (int i = 0; i < 3; ++i) {
    grpc::ClientContext context;
    Call(*stub, style(), ProbeMethod::kRead, &context);
  }
  gpr_set_log_function(nullptr);
  EXPECT_EQ(said, 1);
}

// The guard's proof is about gRPC's last attempt; the first may have been
// applied.
TEST_P(OneLayerTest, OfGrpcsHidesWhatBecameOfTheCall) {
  server_.Script({Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting"),
                  Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting")
                      .WithTrailer(std::string(kNotAppliedKey), "1")});
  ExpectGrpcAlone(CallOnce(server_.address(), ProbeMethod::kRead));
  EXPECT_EQ(OutcomeOf(context_), Outcome::kUnknown);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
