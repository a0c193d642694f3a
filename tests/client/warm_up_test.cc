// What it takes to connect, and who pays for it.
#include "interceptors/client/warm_up.h"

#include <chrono>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/raw_peer.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::AllOf;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Le;

// gRPC reads a clock that may lag under load: a little more time left than the
// attempt was given proves nothing.
class WarmUpTest : public StylesTest {
 protected:
  WarmUpTest() {
    MethodPolicy policy = Eager();
    policy.attempt_timeout = absl::Minutes(1);
    policy.connect_allowance = absl::Hours(1);
    options_.policy = policy;
    server_.Script({Answer::Succeeds(ReplyOf("hi"))});
  }

  absl::Duration TimeOfOneCall(ProbeStub& stub) {
    grpc::ClientContext context;
    EXPECT_TRUE(Call(stub, style(), ProbeMethod::kRead, &context).status.ok());
    return server_.arrivals().back().time_left;
  }

  ScriptedServer server_;
};

INSTANTIATE_TEST_SUITE_P(Styles, WarmUpTest, AllStyles(), StyleAndPath);

TEST_P(WarmUpTest, IsAllowedForOnTopOfTheTimeoutOfAnAttempt) {
  const auto stub = Stub(server_.address());
  EXPECT_THAT(TimeOfOneCall(*stub),
              AllOf(Gt(absl::Minutes(59)), Le(absl::Minutes(61))));
  EXPECT_THAT(TimeOfOneCall(*stub), Le(absl::Seconds(61)));
}

TEST_P(WarmUpTest, LeavesNothingToAllowFor) {
  const auto channel = CreateChannel(
      server_.address(), grpc::InsecureChannelCredentials(), options_);
  EXPECT_EQ(WarmUp(*channel, absl::InfiniteFuture()), absl::OkStatus());
  EXPECT_EQ(WarmUp(*channel, absl::InfinitePast()), absl::OkStatus());
  EXPECT_THAT(TimeOfOneCall(*ProbeStub::New(channel)), Le(absl::Seconds(61)));
}

TEST_P(WarmUpTest, SaysInWhatStateItLeftTheChannel) {
  const auto channel = CreateChannel(
      RefusedAddress(), grpc::InsecureChannelCredentials(), options_);
  const absl::Status status =
      WarmUp(*channel, absl::FromChrono(std::chrono::system_clock::now() +
                                        std::chrono::milliseconds(50)));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("not connected by the deadline; the channel is "));
}

TEST_P(WarmUpTest, OfAChannelWithInvalidOptionsEndsAtOnce) {
  if (kPublicApiOnly) GTEST_SKIP() << "it cannot tell such a channel";
  MethodPolicy policy;
  policy.max_attempts = 0;
  options_.policy = policy;
  const auto channel = CreateChannel(
      server_.address(), grpc::InsecureChannelCredentials(), options_);
  EXPECT_EQ(WarmUp(*channel, absl::InfiniteFuture()).code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
