// Client and guard together, on real sockets, through several services.
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/client/channel.h"
#include "interceptors/client/outcome.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/probe_call.h"
#include "tests/client/recorder.h"
#include "tests/end_to_end/relay.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::SizeIs;

MethodPolicy Waiting(absl::Duration wait) {
  MethodPolicy policy;
  policy.backoff.jitter = Jitter::kNone;
  policy.backoff.initial = wait;
  policy.backoff.max = wait;
  return policy;
}

ClientOptions Roomy(const MethodPolicy& policy) {
  ClientOptions options;
  options.policy = policy;
  options.policy.target_budget.ceiling = 1000;
  options.process_budget =
      std::make_shared<RetryBudget>(options.policy.target_budget, SteadyNow());
  return options;
}

class LayersTest
    : public ::testing::TestWithParam<std::tuple<HandlerStyle, StubStyle>> {
 protected:
  // Client, three relays, and the scripted server at the bottom.
  static constexpr int kRelays = 3;

  LayersTest() { relay_.style = std::get<0>(GetParam()); }

  ~LayersTest() override {
    stub_.reset();
    context_.reset();
    while (!relays_.empty()) relays_.pop_back();
    while (InFlight::Total() != 0) std::this_thread::yield();
  }

  void Build() {
    std::string address = bottom_.address();
    for (int i = 0; i < kRelays; ++i) {
      relays_.push_back(std::make_unique<Relay>(address, relay_));
      address = relays_.back()->address();
    }
    stub_ = ProbeStub::New(CreateChannel(
        address, grpc::InsecureChannelCredentials(), relay_.client));
  }

  ProbeResult CallRead() {
    return Call(*stub_, std::get<1>(GetParam()), ProbeMethod::kRead,
                context_.get());
  }

  ScriptedServer bottom_;
  Relay::Options relay_;
  std::vector<std::unique_ptr<Relay>> relays_;
  std::unique_ptr<ProbeStub> stub_;
  std::unique_ptr<grpc::ClientContext> context_ =
      std::make_unique<grpc::ClientContext>();
};

INSTANTIATE_TEST_SUITE_P(
    Styles, LayersTest,
    ::testing::Combine(
        ::testing::Values(HandlerStyle::kSync, HandlerStyle::kCallback),
        ::testing::Values(StubStyle::kSync, StubStyle::kCallback)),
    [](const auto& info) {
      return absl::StrCat(std::get<0>(info.param) == HandlerStyle::kSync
                              ? "SyncHandlers"
                              : "CallbackHandlers",
                          StyleName(std::get<1>(info.param)), "Client");
    });

// Four layers of four attempts would be 256.
TEST_P(LayersTest, OneLayerRetriesAndTellsThoseAboveNotTo) {
  relay_.client = Roomy(Waiting(absl::Milliseconds(1)));
  Build();
  bottom_.Script({Answer::Fails(grpc::StatusCode::UNAVAILABLE, "down")});
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(bottom_.arrivals(), SizeIs(4));
  // One suffix, not one of each layer: that of the outermost.
  EXPECT_THAT(result.status.error_message(),
              HasSubstr("down (forbear: 1 attempt in "));
  EXPECT_THAT(result.status.error_message(),
              HasSubstr("stopped: refused by server)"));
}

TEST_P(LayersTest, WithoutGuardsEveryLayerRetries) {
  relay_.client = Roomy(Waiting(absl::Milliseconds(1)));
  relay_.client.policy = [] {
    MethodPolicy policy = Waiting(absl::Milliseconds(1));
    policy.max_attempts = 2;
    return policy;
  }();
  relay_.server.mode = Mode::kOff;
  Build();
  bottom_.Script({Answer::Fails(grpc::StatusCode::UNAVAILABLE, "down")});
  EXPECT_FALSE(CallRead().status.ok());
  EXPECT_THAT(bottom_.arrivals(), SizeIs(16));  // 2 to the 4th.
}

TEST_P(LayersTest, DeferLeavesRetryingToTheCaller) {
  MethodPolicy policy = Waiting(absl::Milliseconds(1));
  policy.defer = true;
  relay_.client = Roomy(policy);
  Build();
  bottom_.Script({Answer::Fails(grpc::StatusCode::UNAVAILABLE, "down")});
  EXPECT_FALSE(CallRead().status.ok());
  EXPECT_THAT(bottom_.arrivals(), SizeIs(1));
}

TEST_P(LayersTest, HandsTheDeadlineDownAndNeverMoreOfIt) {
  relay_.client = Roomy(Waiting(absl::Milliseconds(1)));
  Build();
  Reply reply;
  bottom_.Script({Answer::Succeeds(reply)});
  context_->set_deadline(std::chrono::system_clock::now() +
                         std::chrono::minutes(1));
  EXPECT_TRUE(CallRead().status.ok());
  ASSERT_THAT(bottom_.arrivals(), SizeIs(1));
  EXPECT_LE(bottom_.arrivals()[0].time_left, absl::Minutes(1));
}

TEST_P(LayersTest, ACancelledCallIsCancelledAtTheBottom) {
  relay_.client = Roomy(Waiting(absl::Milliseconds(1)));
  Build();
  bottom_.Script({Answer::Hangs()});
  std::thread canceller([&] {
    bottom_.AwaitArrivals(1);
    context_->TryCancel();
  });
  EXPECT_EQ(CallRead().status.error_code(), grpc::StatusCode::CANCELLED);
  canceller.join();
  bottom_.AwaitIdle();  // Hangs for ever unless it is cancelled.
}

TEST_P(LayersTest, AWaitForACallerWhoHasGoneIsCancelled) {
  const auto waits = std::make_shared<Recorder>();
  relay_.client = Roomy(Waiting(absl::Hours(1)));
  relay_.client.observer = waits;
  Build();
  bottom_.Script({Answer::Fails(grpc::StatusCode::UNAVAILABLE, "down")});
  std::thread canceller([&] {
    waits->AwaitWaits(1);  // In the lowest relay.
    context_->TryCancel();
  });
  EXPECT_EQ(CallRead().status.error_code(), grpc::StatusCode::CANCELLED);
  canceller.join();
  // The relays shut down only when their handlers have returned, and each of
  // those waits for an hour, or for ever, unless it is told.
  EXPECT_THAT(bottom_.arrivals(), SizeIs(1));
}

// The caller never said how long it waits; the first server does.
TEST_P(LayersTest, AServersOwnDeadlineEndsWhatItMade) {
  relay_.client = Roomy(Waiting(absl::Milliseconds(1)));
  relay_.server.default_deadline = absl::Milliseconds(50);
  Build();
  bottom_.Script({Answer::Hangs()});
  EXPECT_EQ(CallRead().status.error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  bottom_.AwaitIdle();  // Hangs for ever unless it is cancelled.
  for (const Arrival& arrival : bottom_.arrivals()) {
    EXPECT_LT(arrival.time_left, absl::InfiniteDuration());
  }
}

// Clients that do nothing of their own still end with the call they serve.
TEST_P(LayersTest, AServersOwnDeadlineCancelsThroughPlainCalls) {
  relay_.client = Roomy(Waiting(absl::Hours(1)));
  relay_.client.policy = [] {
    MethodPolicy policy = Waiting(absl::Hours(1));
    policy.mode = Mode::kOff;
    return policy;
  }();
  relay_.server.max_deadline = absl::Milliseconds(50);
  Build();
  bottom_.Script({Answer::Hangs()});
  EXPECT_EQ(CallRead().status.error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  bottom_.AwaitIdle();
}

TEST_P(LayersTest, FromServerContextKeepsItsDeadlineAndCancellation) {
  relay_.context = [](const grpc::ServerContextBase& inbound) {
    return grpc::ClientContext::FromServerContext(inbound);
  };
  for (const Mode mode : {Mode::kEnforce, Mode::kOff}) {
    relay_.server.mode = mode;
    relay_.client = Roomy(Waiting(absl::Milliseconds(1)));
    relays_.clear();
    Build();
    bottom_.Script({Answer::Fails(grpc::StatusCode::UNAVAILABLE, "once"),
                    Answer::Hangs()});
    context_ = std::make_unique<grpc::ClientContext>();
    context_->set_deadline(std::chrono::system_clock::now() +
                           std::chrono::minutes(1));
    const size_t before = bottom_.arrivals().size();
    std::thread canceller([&] {
      bottom_.AwaitArrivals(before + 2);
      context_->TryCancel();
    });
    EXPECT_EQ(CallRead().status.error_code(), grpc::StatusCode::CANCELLED);
    canceller.join();
    bottom_.AwaitIdle();
    const std::vector<Arrival> arrivals = bottom_.arrivals();
    for (size_t i = before; i < arrivals.size(); ++i) {
      EXPECT_LE(arrivals[i].time_left, absl::Minutes(1));
    }
  }
}

TEST_P(LayersTest, ACallThatTheGuardRefusedIsKnownNotToBeApplied) {
  relay_.client = Roomy(Waiting(absl::Milliseconds(1)));
  relay_.server.minimum_time_left = absl::Hours(1);
  Build();
  context_->set_deadline(std::chrono::system_clock::now() +
                         std::chrono::minutes(30));
  const ProbeResult result = CallRead();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(OutcomeOf(*context_), Outcome::kNotApplied);
  EXPECT_TRUE(bottom_.arrivals().empty());
}

}  // namespace
}  // namespace testing
}  // namespace forbear
