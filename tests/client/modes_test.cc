// What each mode does on the wire, in every stub style.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/raw_peer.h"
#include "tests/client/recorder.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

class ModesTest : public StylesTest {
 protected:
  ModesTest() {
    options_.observer = recorder_;
    server_.Script(
        {Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting")});
  }

  // A policy that changes all that a policy can change of a call.
  grpc::Status CallIn(Mode mode) {
    MethodPolicy policy = Eager();
    policy.mode = mode;
    policy.attempt_timeout = absl::Minutes(1);
    policy.connect_allowance = absl::ZeroDuration();
    policy.default_deadline = absl::Minutes(1);
    policy.max_deadline = absl::Minutes(2);
    policy.server_honours_keys = true;
    options_.policy = policy;
    return CallOnce(server_.address(), ProbeMethod::kRead);
  }

  void ExpectUntouched(const grpc::Status& status) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(status.error_message(), "restarting");
    const std::vector<Arrival> arrivals = server_.arrivals();
    ASSERT_THAT(arrivals, SizeIs(1));
    EXPECT_EQ(arrivals[0].time_left, absl::InfiniteDuration());
    EXPECT_THAT(arrivals[0].Values(std::string(kIdempotencyKey)), IsEmpty());
  }

  const std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
  ScriptedServer server_;
};

INSTANTIATE_TEST_SUITE_P(Styles, ModesTest, AllStyles(), StyleAndPath);

TEST_P(ModesTest, OffIsSilent) {
  ExpectUntouched(CallIn(Mode::kOff));
  EXPECT_THAT(recorder_->events(), IsEmpty());
}

TEST_P(ModesTest, ObserveTellsTheObserverAlone) {
  ExpectUntouched(CallIn(Mode::kObserve));
  EXPECT_EQ(recorder_->events().back(),
            "call ended UNAVAILABLE after 1, observed");
}

TEST_P(ModesTest, EnforceActs) {
  const grpc::Status status = CallIn(Mode::kEnforce);
  EXPECT_THAT(status.error_message(), HasSubstr("(forbear: 4 attempts in "));
  const std::vector<Arrival> arrivals = server_.arrivals();
  ASSERT_THAT(arrivals, SizeIs(4));
  for (const Arrival& arrival : arrivals) {
    EXPECT_THAT(arrival.time_left, Le(absl::Seconds(61)));
    EXPECT_THAT(arrival.Values(std::string(kIdempotencyKey)), SizeIs(1));
  }
}

TEST_P(ModesTest, OnlyEnforceWaitsForAConnection) {
  for (const Mode mode : {Mode::kOff, Mode::kObserve}) {
    MethodPolicy policy = Eager();
    policy.mode = mode;
    policy.wait_for_ready = true;
    options_.policy = policy;
    grpc::ClientContext context;
    EXPECT_EQ(
        Call(*Stub(RefusedAddress()), style(), ProbeMethod::kRead, &context)
            .status.error_code(),
        grpc::StatusCode::UNAVAILABLE);
  }
}

}  // namespace
}  // namespace testing
}  // namespace forbear
