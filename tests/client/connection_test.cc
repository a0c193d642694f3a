// What a failed connection proves, and what it does not.
#include <atomic>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/client/never_sent.h"
#include "interceptors/client/outcome.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/raw_peer.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kNoAddress[] = "failed to connect to all addresses; last error:";
constexpr char kRoundRobin[] =
    R"({"loadBalancingConfig": [{"round_robin": {}}]})";
constexpr char kRetryPolicy[] = R"({"methodConfig": [{
    "name": [{"service": "forbear.testing.Probe"}],
    "retryPolicy": {"maxAttempts": 2, "initialBackoff": "0.01s",
                    "maxBackoff": "0.01s", "backoffMultiplier": 1,
                    "retryableStatusCodes": ["UNAVAILABLE"]}}]})";

class ConnectionTest : public StylesTest {
 protected:
  // A method of which nothing is said, so that only a proof has it repeated.
  void ExpectRepeated(const std::string& target) {
    const grpc::Status status = CallOnce(target, ProbeMethod::kCharge);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(status.error_message(), HasSubstr("(forbear: 4 attempts in "));
    EXPECT_EQ(OutcomeOf(context_), Outcome::kNotApplied);
  }

  // ... and by a `peer` which has seen it, so that nobody knows.
  void ExpectNotRepeated(const RawPeer& peer) {
    const grpc::Status status = CallOnce(peer.address(), ProbeMethod::kCharge);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(status.error_message(), HasSubstr("stopped: not repeatable"));
    EXPECT_EQ(OutcomeOf(context_), Outcome::kUnknown);
    EXPECT_EQ(peer.connections(), 1);
  }
};

INSTANTIATE_TEST_SUITE_P(Styles, ConnectionTest, AllStyles(), StyleAndPath);

TEST_P(ConnectionTest, ThatIsRefusedProvesThatNothingWasApplied) {
  ExpectRepeated(RefusedAddress());
}

TEST_P(ConnectionTest, ThatEveryAddressRefusesProvesThatNothingWasApplied) {
  options_.arguments.SetServiceConfigJSON(kRoundRobin);
  ExpectRepeated("ipv4:" + RefusedAddress() + "," + RefusedAddress());
}

TEST_P(ConnectionTest, ToANameThatNobodyHasProvesThatNothingWasApplied) {
  ExpectRepeated("dns:///no-such-host.invalid:1");
}

TEST_P(ConnectionTest, ThatIsClosedBeforeItsGreetingProvesTheSame) {
  RawPeer peer([](RawConnection& connection) { connection.CloseHard(); });
  ExpectRepeated(peer.address());
}

TEST_P(ConnectionTest, ThatIsLostAfterTheRequestProvesNothing) {
  RawPeer peer([](RawConnection& connection) { connection.AwaitCall(); });
  ExpectNotRepeated(peer);
}

TEST_P(ConnectionTest, ThatIsResetAfterTheRequestProvesNothing) {
  RawPeer peer([](RawConnection& connection) {
    connection.AwaitCall();
    connection.CloseHard();
  });
  ExpectNotRepeated(peer);
}

TEST_P(ConnectionTest, ThatIsLostWithItsServerProvesNothing) {
  RawPeer peer([&peer](RawConnection& connection) {
    connection.AwaitCall();
    peer.StopListening();  // Nothing to come back to.
  });
  ExpectNotRepeated(peer);
}

TEST_P(ConnectionTest, ThatSaysGoodbyeAndIsLostProvesNothing) {
  RawPeer peer([](RawConnection& connection) {
    connection.GoAway(connection.AwaitCall());
  });
  ExpectNotRepeated(peer);
}

TEST_P(ConnectionTest, AStreamThatIsRefusedCouldBeSaidByAProxyToo) {
  RawPeer peer([](RawConnection& connection) {
    const uint32_t stream = connection.AwaitCall();
    connection.Reset(stream, RawConnection::kRefusedStream);
    connection.AwaitClose();
  });
  ExpectNotRepeated(peer);
}

TEST_P(ConnectionTest, AGoodbyeThatTheCallCrossedCostsItNothing) {
  std::atomic<int> calls{0};
  RawPeer peer([&calls](RawConnection& connection) {
    const uint32_t stream = connection.AwaitCall();
    if (++calls == 1) {
      connection.GoAway(0);  // Nothing was looked at.
    } else if (stream != 0) {
      connection.Headers(stream);
      connection.Message(stream, "");
      connection.Trailers(stream, {{"grpc-status", "0"}});
    }
    connection.AwaitClose();
  });
  EXPECT_TRUE(CallOnce(peer.address(), ProbeMethod::kCharge).ok());
  EXPECT_EQ(calls, 2);
}

// A server that fails because its own upstream is away says so in these words.
TEST_P(ConnectionTest, OfSomebodyElseProvesNothing) {
  ScriptedServer server;
  server.Script({Answer::Fails(
      grpc::StatusCode::UNAVAILABLE,
      std::string(kNoAddress) +
          " UNKNOWN: ipv4:10.0.0.1:1: Failed to connect to remote host: "
          "Connection refused")});
  const grpc::Status status = CallOnce(server.address(), ProbeMethod::kCharge);
  EXPECT_THAT(status.error_message(), HasSubstr("stopped: not repeatable"));
  EXPECT_EQ(OutcomeOf(context_), Outcome::kUnknown);
  EXPECT_THAT(server.arrivals(), SizeIs(1));
}

TEST_P(ConnectionTest, ProvesNothingBehindRetriesOfTheChannelsOwn) {
  options_.arguments.SetServiceConfigJSON(kRetryPolicy);
  RawPeer peer([&peer](RawConnection& connection) {
    connection.AwaitCall();  // And applied it.
    peer.StopListening();
  });
  const grpc::Status status = CallOnce(peer.address(), ProbeMethod::kCharge);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  // gRPC's second attempt, of which alone it tells.
  EXPECT_THAT(status.error_message(), HasSubstr(kNoAddress));
  EXPECT_EQ(OutcomeOf(context_), Outcome::kUnknown);
}

TEST(NeverSentTest, BelievesOnlyWhatGrpcSaysOfItself) {
  const absl::StatusCode unavailable = absl::StatusCode::kUnavailable;
  EXPECT_TRUE(NeverSent(unavailable, std::string("UNKNOWN:") + kNoAddress +
                                         " UNKNOWN: ipv4:127.0.0.1:1: ..."));
  EXPECT_FALSE(
      NeverSent(absl::StatusCode::kInternal,
                std::string("UNKNOWN:") + kNoAddress + " UNKNOWN: ..."));
  EXPECT_FALSE(NeverSent(
      unavailable, std::string("UNKNOWN:Error received from peer "
                               "ipv4:127.0.0.1:1 {grpc_message:\"UNKNOWN:") +
                       kNoAddress + " ...\"}"));
  EXPECT_FALSE(NeverSent(unavailable, kNoAddress));
  EXPECT_FALSE(NeverSent(unavailable, ""));
}

}  // namespace
}  // namespace testing
}  // namespace forbear
