// Peers that speak HTTP/2 and mean no good. Whatever they do, a call ends as it
// would on a plain channel, in time, and what may pass is tried again.
#include <grpcpp/create_channel.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/client/warm_up.h"
#include "tests/client/misdeeds.h"
#include "tests/client/raw_peer.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::HasSubstr;

constexpr grpc::StatusCode kOk = grpc::StatusCode::OK;
constexpr int kAttempts = 2;
class BadPeerTest : public StylesTest {
 protected:
  static void SetDeadline(grpc::ClientContext* context) {
    context->set_deadline(std::chrono::system_clock::now() +
                          std::chrono::milliseconds(50));
  }

  grpc::StatusCode OnAPlainChannel(const RawPeer& peer,
                                   const Misdeed& misdeed) const {
    const auto stub = ProbeStub::New(grpc::CreateChannel(
        peer.address(), grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    if (misdeed.hangs()) SetDeadline(&context);
    return Call(*stub, style(), ProbeMethod::kRead, &context)
        .status.error_code();
  }

  grpc::Status OnOurs(const RawPeer& peer, const Misdeed& misdeed) {
    MethodPolicy policy = Eager();
    policy.max_attempts = kAttempts;
    if (misdeed.hangs()) policy.attempt_timeout = absl::Milliseconds(50);
    options_.policy = policy;
    const auto channel = CreateChannel(
        peer.address(), grpc::InsecureChannelCredentials(), options_);
    EXPECT_EQ(WarmUp(*channel, absl::InfiniteFuture()), absl::OkStatus());
    grpc::ClientContext context;
    return Call(*ProbeStub::New(channel), style(), ProbeMethod::kRead, &context)
        .status;
  }
};

INSTANTIATE_TEST_SUITE_P(Styles, BadPeerTest, AllStyles(), StyleAndPath);

TEST_P(BadPeerTest, EndsACallAsItEndsOnAPlainChannel) {
  for (const Misdeed& misdeed : Misdeeds()) {
    SCOPED_TRACE(misdeed.name);
    std::atomic<int> calls{0};
    RawPeer peer([&](RawConnection& connection) {
      while (const uint32_t stream = connection.AwaitCall()) {
        ++calls;
        misdeed.answer(connection, stream);
      }
    });
    const grpc::StatusCode plain = OnAPlainChannel(peer, misdeed);
    if (style() == StubStyle::kSync) {
      EXPECT_EQ(plain, misdeed.code);
    }
    const int before = calls;
    const grpc::Status status = OnOurs(peer, misdeed);
    EXPECT_EQ(status.error_code(), plain) << status.error_message();
    if (misdeed.may_pass) {
      EXPECT_THAT(status.error_message(), HasSubstr("(forbear: 2 attempts in"));
    }
    // One that ran out of time may not have left.
    EXPECT_LE(calls - before, misdeed.may_pass ? kAttempts : 1);
  }
}

// What gRPC makes of it depends on the stub: a callback stub says OK, and so do
// we where the first attempt is the call itself.
TEST_P(BadPeerTest, AMessageThatIsNoneIsNoReplyWhereWeReadIt) {
  if (style() == StubStyle::kQueue || style() == StubStyle::kQueueInTwo) return;
  // To a generic stub any bytes are a message.
  if (style() == StubStyle::kGenericQueue ||
      style() == StubStyle::kGenericCallback) {
    return;
  }
  RawPeer peer([](RawConnection& connection) {
    while (const uint32_t stream = connection.AwaitCall()) {
      connection.Headers(stream);
      connection.Message(stream, "\xff\xff\xff");
      connection.Trailers(stream, {{"grpc-status", "0"}});
    }
  });
  const grpc::Status status = CallOnce(peer.address(), ProbeMethod::kRead);
  if (kPublicApiOnly || std::get<1>(GetParam()) == Path::kHijacked) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  } else if (style() == StubStyle::kSync) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  }
}

TEST_P(BadPeerTest, WhoSpeaksNoHttp2IsNotReached) {
  RawPeer peer([](RawConnection& connection) {
    connection.Write("HTTP/1.1 400 Bad Request\r\n\r\n");
    connection.AwaitClose();
  });
  MethodPolicy policy = Eager();
  policy.max_attempts = kAttempts;
  options_.policy = policy;
  const grpc::Status status = CallOnce(peer.address(), ProbeMethod::kRead);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
