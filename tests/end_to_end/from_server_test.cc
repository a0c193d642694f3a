// A call made with FromServerContext() keeps the deadline and the cancellation
// that plain gRPC would have given it: with a guard and without one, for every
// stub style, during attempts and between them.
#include <grpcpp/create_channel.h>
#include <grpcpp/server_builder.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/server/server_guard.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/recorder.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::Le;
using ::testing::SizeIs;

// Asks the server above it in one of the stub styles.
class Asker final : public Probe::Service {
 public:
  Asker(std::unique_ptr<ProbeStub> upstream, StubStyle style)
      : upstream_(std::move(upstream)), style_(style) {}

  grpc::Status Read(grpc::ServerContext* inbound, const Ask*,
                    Reply* reply) override {
    const auto context = grpc::ClientContext::FromServerContext(*inbound);
    const ProbeResult result =
        Call(*upstream_, style_, ProbeMethod::kRead, context.get());
    *reply = result.reply;
    ended.store(true);
    return result.status;
  }

  std::atomic<bool> ended{false};

 private:
  const std::unique_ptr<ProbeStub> upstream_;
  const StubStyle style_;
};

class FromServerTest : public StylesTest {
 protected:
  void Start(bool guarded, absl::Duration wait) {
    MethodPolicy policy = Eager();
    policy.backoff.initial = wait;
    policy.backoff.max = wait;
    policy.hedging = hedging_;
    options_.policy = policy;
    options_.observer = recorder_;
    asker_ = std::make_unique<Asker>(Stub(bottom_.address()), style());
    guard_ = std::make_unique<ServerGuard>(ServerOptions());
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    if (guarded) {
      guard_->RegisterService<Probe>(builder, *asker_);
      guard_->Install(builder);
    } else {
      builder.RegisterService(asker_.get());
    }
    server_ = builder.BuildAndStart();
    stub_ = ProbeStub::New(grpc::CreateChannel(
        absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials()));
  }

  // Calls, and gives up once `moment` has come.
  template <typename Moment>
  void ExpectCancelled(const Moment& moment) {
    grpc::ClientContext context;
    std::thread canceller([&] {
      moment();
      context.TryCancel();
    });
    Reply reply;
    EXPECT_EQ(stub_->typed.Read(&context, Ask(), &reply).error_code(),
              grpc::StatusCode::CANCELLED);
    canceller.join();
    server_->Shutdown();  // Waits for the handler, which is told.
    EXPECT_TRUE(asker_->ended);
  }

  void End() {
    stub_.reset();
    server_->Shutdown();
    server_.reset();
    asker_.reset();
    guard_.reset();
  }

  static Answer Unavailable() {
    return Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting");
  }

  HedgingOptions hedging_;  // Off, unless said otherwise.
  ScriptedServer bottom_;
  const std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
  std::unique_ptr<Asker> asker_;
  std::unique_ptr<ServerGuard> guard_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<ProbeStub> stub_;
};

INSTANTIATE_TEST_SUITE_P(Styles, FromServerTest, AllStyles(), StyleAndPath);

TEST_P(FromServerTest, EveryAttemptHasTheDeadlineOfTheInboundCall) {
  for (const bool guarded : {false, true}) {
    Start(guarded, absl::Milliseconds(1));
    bottom_.Script({Unavailable(), Answer::Succeeds(ReplyOf("hi"))});
    const size_t before = bottom_.arrivals().size();
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::hours(1));
    Reply reply;
    EXPECT_TRUE(stub_->typed.Read(&context, Ask(), &reply).ok());
    EXPECT_EQ(reply.text(), "hi");
    std::vector<Arrival> arrivals = bottom_.arrivals();
    arrivals.erase(arrivals.begin(), arrivals.begin() + before);
    EXPECT_THAT(arrivals, SizeIs(2));
    // gRPC itself may round up by one per cent a hop.
    EXPECT_THAT(arrivals,
                Each(Field(&Arrival::time_left, Le(absl::Minutes(62)))));
    End();
  }
}

TEST_P(FromServerTest, TheFirstAttemptIsCancelledWithTheInboundCall) {
  for (const bool guarded : {false, true}) {
    Start(guarded, absl::Milliseconds(1));
    bottom_.Script({Answer::Hangs()});
    const size_t before = bottom_.arrivals().size();
    ExpectCancelled([&] { bottom_.AwaitArrivals(before + 1); });
    bottom_.AwaitIdle();
    End();
  }
}

TEST_P(FromServerTest, ALaterAttemptIsCancelledWithTheInboundCall) {
  for (const bool guarded : {false, true}) {
    Start(guarded, absl::Milliseconds(1));
    bottom_.Script({Unavailable(), Answer::Hangs()});
    const size_t before = bottom_.arrivals().size();
    ExpectCancelled([&] { bottom_.AwaitArrivals(before + 2); });
    bottom_.AwaitIdle();
    End();
  }
}

TEST_P(FromServerTest, HedgesAreCancelledWithTheInboundCall) {
  // A call whose headers are asked for on their own is not hedged by time.
  if (style() == StubStyle::kQueueInTwo) return;
  for (const bool guarded : {false, true}) {
    hedging_.max_attempts = 2;
    hedging_.delay = absl::Milliseconds(1);
    hedging_.cap = 1;
    Start(guarded, absl::Milliseconds(1));
    bottom_.Script({Answer::Hangs()});
    const size_t before = bottom_.arrivals().size();
    ExpectCancelled([&] { bottom_.AwaitArrivals(before + 2); });
    bottom_.AwaitIdle();
    End();
  }
}

TEST_P(FromServerTest, AWaitIsCancelledWithTheInboundCall) {
  for (const bool guarded : {false, true}) {
    Start(guarded, absl::Hours(1));
    bottom_.Script({Unavailable()});
    const int before = recorder_->waits();
    ExpectCancelled([&] { recorder_->AwaitWaits(before + 1); });
    End();
  }
}

}  // namespace
}  // namespace testing
}  // namespace forbear
