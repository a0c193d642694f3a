// Who calls, as the guard sees it on real connections, and who never waits.
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/health_check_service_interface.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/reply_cache/reply_cache.h"
#include "interceptors/server/server_guard.h"
#include "tests/client/test_keys.h"
#include "tests/server/kinds_server.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr absl::Duration kMinute = absl::Minutes(1);

// Handlers wait at it until it is opened.
class Gatekeeper {
 public:
  grpc::Status Pass() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++inside_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    return grpc::Status::OK;
  }
  void AwaitOne() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return inside_ != 0; });
  }
  void Open() {
    std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool open_ = false;
};

// A server with two ports: one asks for certificates, one for nothing.
class CallerTest : public ::testing::Test {
 protected:
  ~CallerTest() override {
    server_.reset();
    Await([] { return InFlight::Total() == 0; });
  }

  void Serve(const ServerOptions& options) {
    ServerSetup setup;
    setup.prepare = [this](grpc::ServerBuilder& builder) {
      grpc::SslServerCredentialsOptions tls(
          GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
      tls.pem_key_cert_pairs = {{kTestKey, kTestCertificate}};
      tls.pem_root_certs = kTestCertificate;
      builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(tls),
                               &tls_port_);
    };
    server_ =
        std::make_unique<KindsServer>(Style::kSync, options, std::move(setup));
  }

  // A connection of its own.
  std::unique_ptr<Kinds::Stub> OverTls(bool with_certificate) const {
    grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = kTestCertificate;
    if (with_certificate) {
      tls.pem_cert_chain = kTestCertificate;
      tls.pem_private_key = kTestKey;
    }
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return Kinds::NewStub(
        grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", tls_port_),
                                  grpc::SslCredentials(tls), arguments));
  }

  static grpc::Status CallWith(Kinds::Stub& stub, absl::string_view key,
                               absl::string_view value) {
    grpc::ClientContext context;
    context.AddMetadata(std::string(key), std::string(value));
    Note response;
    return stub.Unary(&context, Note(), &response);
  }

  std::unique_ptr<KindsServer> server_;
  int tls_port_ = 0;
};

TEST_F(CallerTest, AreKnownByTheirCertificateElseByTheirAddress) {
  std::mutex mutex;
  std::vector<std::string> identities, addresses;
  ServerOptions options;
  options.reply_cache = std::make_shared<ReplyCache>();  // Asks who calls.
  options.caller_of = [&](const Peer& peer) {
    std::lock_guard<std::mutex> lock(mutex);
    identities.emplace_back(peer.identity);
    addresses.emplace_back(peer.address);
    return std::string("anybody");
  };
  Serve(options);
  EXPECT_TRUE(CallWith(*OverTls(true), kIdempotencyKey, "1").ok());
  EXPECT_TRUE(CallWith(*OverTls(false), kIdempotencyKey, "2").ok());
  EXPECT_TRUE(CallWith(server_->stub(), kIdempotencyKey, "3").ok());
  EXPECT_THAT(identities, ElementsAre("127.0.0.1", "", ""));
  EXPECT_THAT(addresses, Each(StartsWith("ipv4:127.0.0.1:")));
}

TEST_F(CallerTest, OfOneAddressAreTwoIfOneHasACertificate) {
  ServerOptions options;
  options.reply_cache = std::make_shared<ReplyCache>();
  Serve(options);
  EXPECT_TRUE(CallWith(*OverTls(true), kIdempotencyKey, "key").ok());
  EXPECT_TRUE(CallWith(server_->stub(), kIdempotencyKey, "key").ok());
  EXPECT_EQ(server_->script().entered, 2);
  // The same two again, over other connections.
  EXPECT_TRUE(CallWith(*OverTls(true), kIdempotencyKey, "key").ok());
  EXPECT_TRUE(CallWith(*OverTls(false), kIdempotencyKey, "key").ok());
  EXPECT_EQ(server_->script().entered, 2);
  EXPECT_EQ(server_->recorder().replays(), 2);
}

// One runs, one waits, and no more may: a retry comes, and one of them has to
// go. The retry does, if its word is believed.
TEST_F(CallerTest, SayWhatIsARetryIfTheirIdentityIsTrusted) {
  for (const bool trusted : {false, true}) {
    ServerOptions options;
    options.max_concurrent_calls = 1;
    options.queue.max_calls = 1;
    // Not the address: it is nobody's who has a certificate.
    options.trusted_peers = {trusted ? "127.0.0.1" : "ipv4:127.0.0.1"};
    Serve(options);
    Gatekeeper gatekeeper;
    server_->script().run = [&](grpc::ServerContextBase*) {
      return gatekeeper.Pass();
    };
    const auto stub = OverTls(true);
    std::thread runs([&] { CallWith(*stub, "x-number", "1"); });
    gatekeeper.AwaitOne();
    grpc::Status first, retry;
    std::thread waits([&] { first = CallWith(*stub, "x-number", "2"); });
    Await([&] { return server_->guard().waiting() == 1; });
    std::thread retries(
        [&] { retry = CallWith(*stub, kPreviousAttemptsKey, "1"); });
    Await([&] { return server_->recorder().refused().size() == 1; });
    gatekeeper.Open();
    for (std::thread* thread : {&runs, &waits, &retries}) thread->join();
    EXPECT_EQ(first.ok(), trusted);
    EXPECT_EQ(retry.ok(), !trusted);
  }
}

// A full server that nobody can wait at still tells how it is.
TEST_F(CallerTest, WhoAskAfterHealthOrReflectionAreNeverTurnedAway) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  ServerOptions options;
  options.max_concurrent_calls = 1;
  options.queue.max_calls = 0;
  Serve(options);
  grpc::EnableDefaultHealthCheckService(false);
  Gatekeeper gatekeeper;
  server_->script().run = [&](grpc::ServerContextBase*) {
    return gatekeeper.Pass();
  };
  std::thread runs([&] { server_->Call(Kind::kUnary, kMinute); });
  gatekeeper.AwaitOne();
  EXPECT_EQ(server_->Call(Kind::kUnary, kMinute).status.error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);

  grpc::GenericStub stub(server_->channel());
  for (const char* method :
       {"/grpc.health.v1.Health/Check",
        // With nothing asked, its answer is an error message: it was served.
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"}) {
    SCOPED_TRACE(method);
    grpc::CompletionQueue queue;
    grpc::ClientContext context;
    const auto call = stub.PrepareCall(&context, method, &queue);
    const auto step = [&queue](const auto& start) {
      start(&queue);
      void* tag;
      bool ok = false;
      return queue.Next(&tag, &ok) && ok;
    };
    const grpc::Slice nothing;
    const grpc::ByteBuffer request(&nothing, 1);
    grpc::ByteBuffer response;
    grpc::Status status;
    EXPECT_TRUE(step([&](void* tag) { call->StartCall(tag); }));
    EXPECT_TRUE(step([&](void* tag) { call->Write(request, tag); }));
    EXPECT_TRUE(step([&](void* tag) { call->Read(&response, tag); }));
    EXPECT_TRUE(step([&](void* tag) { call->WritesDone(tag); }));
    EXPECT_TRUE(step([&](void* tag) { call->Finish(&status, tag); }));
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_NE(response.Length(), 0);
  }
  EXPECT_EQ(server_->recorder().entered().size(), 1);
  EXPECT_EQ(server_->recorder().refused().size(), 1);
  gatekeeper.Open();
  runs.join();
}

}  // namespace
}  // namespace testing
}  // namespace forbear
