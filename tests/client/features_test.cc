// What gRPC offers works through us as without us, with the first attempt and
// with a later one.
#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/raw_peer.h"
#include "tests/client/recorder.h"
#include "tests/client/styles.h"
#include "tests/client/test_keys.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Gt;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr size_t kTenMiB = 10 << 20;
constexpr char kRoundRobin[] =
    R"({"loadBalancingConfig":[{"round_robin":{}}]})";

// Each with no failure before the success, and with some.
class FeaturesTest : public StylesTest {
 protected:
  static std::vector<Answer> After(int failures, const Answer& success) {
    std::vector<Answer> answers(
        failures, Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting"));
    answers.push_back(success);
    return answers;
  }
  static std::vector<Answer> After(int failures) {
    return After(failures, Answer::Succeeds(ReplyOf("hi")));
  }
};

INSTANTIATE_TEST_SUITE_P(Styles, FeaturesTest, AllStyles(), StyleAndPath);

// A token in every call.
class Token final : public grpc::MetadataCredentialsPlugin {
 public:
  explicit Token(const char* value) : value_(value) {}
  bool IsBlocking() const override { return false; }
  grpc::Status GetMetadata(
      grpc::string_ref, grpc::string_ref, const grpc::AuthContext&,
      std::multimap<std::string, std::string>* metadata) override {
    metadata->emplace("x-token", value_);
    return grpc::Status::OK;
  }

 private:
  const char* const value_;
};

std::shared_ptr<grpc::CallCredentials> TokenOf(const char* value) {
  return grpc::MetadataCredentialsFromPlugin(std::make_unique<Token>(value));
}

TEST_P(FeaturesTest, TlsWithCredentialsOfTheChannelAndOfTheCall) {
  grpc::SslServerCredentialsOptions of_server;
  of_server.pem_key_cert_pairs.push_back({kTestKey, kTestCertificate});
  ScriptedServer server(grpc::SslServerCredentials(of_server));
  grpc::SslCredentialsOptions of_client;
  of_client.pem_root_certs = kTestCertificate;
  const auto stub = Stub(server.address(), grpc::CompositeChannelCredentials(
                                               grpc::SslCredentials(of_client),
                                               TokenOf("channel")));
  for (const int failures : {0, 2}) {
    server.Script(After(failures));
    grpc::ClientContext context;
    context.set_credentials(TokenOf("call"));
    EXPECT_TRUE(Call(*stub, style(), ProbeMethod::kRead, &context).status.ok());
  }
  const std::vector<Arrival> arrivals = server.arrivals();
  EXPECT_THAT(arrivals, SizeIs(4));
  for (const Arrival& arrival : arrivals) {
    EXPECT_THAT(arrival.Values("x-token"),
                UnorderedElementsAre("channel", "call"));
  }
}

TEST_P(FeaturesTest, MessagesOfTenMebibytesBothWays) {
  options_.arguments.SetMaxReceiveMessageSize(-1);
  ScriptedServer server;
  const auto stub = Stub(server.address());
  const std::string large(kTenMiB, 'x');
  for (const int failures : {0, 1}) {
    server.Script(After(failures, Answer::Succeeds(ReplyOf(large))));
    grpc::ClientContext context;
    const ProbeResult result =
        Call(*stub, style(), ProbeMethod::kRead, &context, large);
    EXPECT_TRUE(result.status.ok()) << result.status.error_message();
    EXPECT_TRUE(result.reply.text() == large);
  }
  const std::vector<Arrival> arrivals = server.arrivals();
  EXPECT_THAT(arrivals, SizeIs(3));
  EXPECT_THAT(arrivals, Each(Field(&Arrival::request, SizeIs(Gt(kTenMiB)))));
}

TEST_P(FeaturesTest, CompressedMessages) {
  ScriptedServer server;
  const auto stub = Stub(server.address());
  const std::string text(100'000, 'x');
  for (const int failures : {0, 2}) {
    server.Script(After(failures));
    grpc::ClientContext context;
    context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    EXPECT_TRUE(
        Call(*stub, style(), ProbeMethod::kRead, &context, text).status.ok());
  }
  const std::vector<Arrival> arrivals = server.arrivals();
  ASSERT_THAT(arrivals, SizeIs(4));
  for (const Arrival& arrival : arrivals) {
    Ask ask;
    EXPECT_TRUE(ask.ParseFromString(arrival.request));
    EXPECT_TRUE(ask.text() == text);
  }
}

TEST_P(FeaturesTest, BinaryMetadataBothWays) {
  const std::string bytes("\x00\xff\x01, \x80", 6);
  ScriptedServer server;
  const auto stub = Stub(server.address());
  for (const int failures : {0, 2}) {
    server.Script(After(failures, Answer::Succeeds(ReplyOf("hi"))
                                      .WithHeader("x-header-bin", bytes)
                                      .WithTrailer("x-trailer-bin", bytes)));
    grpc::ClientContext context;
    context.AddMetadata("x-mine-bin", bytes);
    EXPECT_TRUE(Call(*stub, style(), ProbeMethod::kRead, &context).status.ok());
    const auto& trailers = context.GetServerTrailingMetadata();
    ASSERT_EQ(trailers.count("x-trailer-bin"), 1);
    EXPECT_EQ(trailers.find("x-trailer-bin")->second, bytes);
    const auto& headers = context.GetServerInitialMetadata();
    // Asked for on their own, they are those of the first attempt.
    if (failures > 0 && style() == StubStyle::kQueueInTwo) continue;
    ASSERT_EQ(headers.count("x-header-bin"), 1);
    EXPECT_EQ(headers.find("x-header-bin")->second, bytes);
  }
  const std::vector<Arrival> arrivals = server.arrivals();
  EXPECT_THAT(arrivals, SizeIs(4));
  for (const Arrival& arrival : arrivals) {
    EXPECT_THAT(arrival.Values("x-mine-bin"), ElementsAre(bytes));
  }
}

TEST_P(FeaturesTest, BalancingOverSeveralAddresses) {
  options_.arguments.SetServiceConfigJSON(kRoundRobin);
  ScriptedServer one;
  ScriptedServer two;
  const auto stub = Stub(absl::StrCat("ipv4:", one.address(), ",",
                                      two.address(), ",", RefusedAddress()));
  for (const int failures : {0, 1}) {
    one.Script(After(failures));
    two.Script(After(failures));
    // The balancer deals with whom it is connected to: in time, to both.
    const size_t before_one = one.arrivals().size();
    const size_t before_two = two.arrivals().size();
    while (one.arrivals().size() < before_one + 4 ||
           two.arrivals().size() < before_two + 4) {
      grpc::ClientContext context;
      EXPECT_TRUE(
          Call(*stub, style(), ProbeMethod::kRead, &context).status.ok());
    }
  }
}

// Nobody listens until the channel has been refused. One attempt is allowed: a
// call that did not wait would have failed.
TEST_P(FeaturesTest, WaitingForReadyByTheCallsWordOrThePolicys) {
  if (kPublicApiOnly) GTEST_SKIP() << "it cannot see what the call says";
  for (const bool by_call : {true, false}) {
    MethodPolicy policy;
    policy.max_attempts = 1;
    policy.wait_for_ready = !by_call;
    options_.policy = policy;
    options_.arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    options_.arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
    const auto recorder = std::make_shared<Recorder>();
    options_.observer = recorder;
    const std::string address = RefusedAddress();
    const auto channel =
        CreateChannel(address, grpc::InsecureChannelCredentials(), options_);
    while (channel->GetState(true) != GRPC_CHANNEL_TRANSIENT_FAILURE) {
      std::this_thread::yield();
    }
    const auto stub = ProbeStub::New(channel);
    std::thread caller([&] {
      grpc::ClientContext context;
      if (by_call) context.set_wait_for_ready(true);
      EXPECT_TRUE(
          Call(*stub, style(), ProbeMethod::kRead, &context).status.ok());
    });
    recorder->AwaitAttempts(1);
    ScriptedServer server(grpc::InsecureServerCredentials(), address);
    server.Script(After(0));
    caller.join();
  }
}

}  // namespace
}  // namespace testing
}  // namespace forbear
