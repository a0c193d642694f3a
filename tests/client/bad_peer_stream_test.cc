// Streams whose peer does wrong end as they do on a plain channel.
#include <grpcpp/create_channel.h>

#include <chrono>
#include <memory>
#include <string_view>
#include <thread>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/client/channel.h"
#include "interceptors/client/replay_buffer.h"
#include "interceptors/client/warm_up.h"
#include "interceptors/context/in_flight.h"
#include "tests/client/misdeeds.h"
#include "tests/client/raw_peer.h"
#include "tests/client/stream_calls.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

class BadPeerStreamTest : public ::testing::TestWithParam<
                              std::tuple<StreamStyle, StreamKind, Path>> {
 protected:
  void TearDown() override {
    while (InFlight::Total() != 0 || ProcessReplayBytes() != 0) {
      std::this_thread::yield();
    }
  }

  // The call on `channel`, within `time` where only the deadline ends it.
  StreamResult RunOn(const std::shared_ptr<grpc::ChannelInterface>& channel,
                     const Misdeed& misdeed,
                     std::chrono::milliseconds time) const {
    EXPECT_EQ(WarmUp(*channel, absl::InfiniteFuture()), absl::OkStatus());
    grpc::ClientContext context;
    if (misdeed.hangs()) {
      context.set_deadline(std::chrono::system_clock::now() + time);
    }
    return testing::Run(channel, style(), kind(), &context);
  }

  std::shared_ptr<grpc::ChannelInterface> Ours(const RawPeer& peer) const {
    ClientOptions options;
    MethodPolicy policy = Eager();
    policy.repeatable = Repeatable::kYes;
    policy.max_attempts = 2;
    options.policy = policy;
    RetryBudgetOptions roomy;
    roomy.ceiling = 1000;
    options.process_budget = std::make_shared<RetryBudget>(roomy, SteadyNow());
    if (hijacked()) {
      options.interceptors.push_back(std::make_shared<Bystanders>());
    }
    return CreateChannel(peer.address(), grpc::InsecureChannelCredentials(),
                         options);
  }

  // A plain stub that reads one answer waits for its deadline if it gets two;
  // our attempts take the first.
  bool TakesTheFirstAnswer(const Misdeed& misdeed) const {
    return std::string_view(misdeed.name) == "AnswersTwice" &&
           kind() == StreamKind::kUpload && hijacked();
  }

  bool Agree(const Misdeed& misdeed, const StreamResult& plain,
             const StreamResult& ours) const {
    if (TakesTheFirstAnswer(misdeed)) return ours.status.ok();
    return ours.status.error_code() == plain.status.error_code() &&
           ours.messages == plain.messages;
  }

  static StreamStyle style() { return std::get<0>(GetParam()); }
  static StreamKind kind() { return std::get<1>(GetParam()); }
  static bool hijacked() {
    return kPublicApiOnly || std::get<2>(GetParam()) == Path::kHijacked;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Styles, BadPeerStreamTest,
    ::testing::Combine(::testing::Values(StreamStyle::kSync,
                                         StreamStyle::kCallback,
                                         StreamStyle::kQueue),
                       ::testing::Values(StreamKind::kDownload,
                                         StreamKind::kUpload,
                                         StreamKind::kChat),
                       ::testing::Values(Path::kDirect, Path::kHijacked)),
    [](const auto& info) {
      return absl::StrCat(
          KindName(std::get<1>(info.param)), StyleName(std::get<0>(info.param)),
          std::get<2>(info.param) == Path::kDirect ? "Direct" : "Hijacked");
    });

TEST_P(BadPeerStreamTest, EndsAStreamAsItEndsOnAPlainChannel) {
  for (const Misdeed& misdeed : Misdeeds()) {
    SCOPED_TRACE(misdeed.name);
    RawPeer peer([&](RawConnection& connection) {
      while (const uint32_t stream = connection.AwaitCall()) {
        misdeed.answer(connection, stream);
      }
    });
    const auto plain_channel =
        grpc::CreateChannel(peer.address(), grpc::InsecureChannelCredentials());
    const auto our_channel = Ours(peer);
    StreamResult plain, ours;
    // What arrives before a deadline depends on the machine too: a call that
    // differs is made again with more time.
    for (std::chrono::milliseconds time(50);; time *= 10) {
      plain = RunOn(plain_channel, misdeed, time);
      ours = RunOn(our_channel, misdeed, time);
      if (Agree(misdeed, plain, ours) || time > std::chrono::seconds(1)) break;
    }
    if (TakesTheFirstAnswer(misdeed)) {
      EXPECT_TRUE(ours.status.ok()) << ours.status.error_message();
      continue;
    }
    EXPECT_EQ(ours.status.error_code(), plain.status.error_code())
        << ours.status.error_message();
    EXPECT_EQ(ours.messages, plain.messages);
  }
}

}  // namespace
}  // namespace testing
}  // namespace forbear
