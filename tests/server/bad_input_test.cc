// What peers send by mistake or on purpose: each ends in a clear status, and
// nothing is left behind.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <tuple>

#include "absl/time/time.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/server/server_guard.h"
#include "tests/server/kinds_server.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::AnyOf;
using ::testing::Combine;
using ::testing::Values;

ServerOptions LimitedTo(int calls) {
  ServerOptions options;
  options.max_concurrent_calls = calls;
  return options;
}

class BadInputTest : public ::testing::TestWithParam<std::tuple<Style, Kind>> {
 protected:
  ~BadInputTest() override {
    Await([] { return InFlight::Total() == 0; });
  }
  Style style() const { return std::get<0>(GetParam()); }
  Kind kind() const { return std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(
    AllKinds, BadInputTest,
    Combine(Values(Style::kSync, Style::kCallback),
            Values(Kind::kUnary, Kind::kUpload, Kind::kDownload, Kind::kChat)),
    [](const ::testing::TestParamInfo<BadInputTest::ParamType>& info) {
      return NameOf(std::get<0>(info.param)) + NameOf(std::get<1>(info.param));
    });

TEST_P(BadInputTest, AbsurdDeadlines) {
  ServerOptions options = LimitedTo(2);
  options.default_deadline = absl::Hours(1);
  options.max_deadline = absl::Hours(1);
  KindsServer server(style(), options);
  for (const absl::Duration timeout :
       {-absl::Seconds(1), -absl::Hours(24 * 365)}) {
    EXPECT_EQ(server.Call(kind(), timeout).status.error_code(),
              grpc::StatusCode::DEADLINE_EXCEEDED);
  }
  // gRPC gives what has no time a millisecond, in which it may be done.
  EXPECT_THAT(server.Call(kind(), absl::ZeroDuration()).status.error_code(),
              AnyOf(grpc::StatusCode::OK, grpc::StatusCode::DEADLINE_EXCEEDED));
  for (const absl::Duration timeout :
       {absl::Hours(24 * 365 * 500), absl::InfiniteDuration()}) {
    EXPECT_TRUE(server.Call(kind(), timeout).status.ok());
  }
}

TEST_P(BadInputTest, HugeMetadataAndManyOfThem) {
  ServerOptions options = LimitedTo(2);
  options.trusted_peers = {"ipv4:127.0.0.1"};
  KindsServer server(style(), options);
  {
    grpc::ClientContext context;
    context.AddMetadata("huge", std::string(32 * 1024, 'x'));
    for (int i = 0; i < 100; ++i) {
      context.AddMetadata(std::string(kPreviousAttemptsKey), "-1e99");
      context.AddMetadata("bytes-bin", std::string("\xff\x00\xfe", 3));
    }
    EXPECT_TRUE(server.Call(kind(), &context).status.ok());
  }
  // More than a server takes, gRPC refuses by itself, in one way or the other.
  grpc::ClientContext context;
  context.AddMetadata("huge", std::string(256 * 1024, 'x'));
  EXPECT_THAT(server.Call(kind(), &context).status.error_code(),
              AnyOf(grpc::StatusCode::RESOURCE_EXHAUSTED,
                    grpc::StatusCode::UNAVAILABLE));
  EXPECT_EQ(server.script().entered, 1);
}

// Speaks to the server's port, and then says no more.
class SilentClient {
 public:
  SilentClient(int port, const std::string& says) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address),
                      sizeof(address)),
              0);
    EXPECT_EQ(write(socket_, says.data(), says.size()),
              static_cast<ssize_t>(says.size()));
  }
  ~SilentClient() { close(socket_); }

 private:
  const int socket_ = socket(AF_INET, SOCK_STREAM, 0);
};

TEST_P(BadInputTest, ClientsThatConnectAndSayNothing) {
  KindsServer server(style(), LimitedTo(1));
  std::deque<SilentClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(server.port(), "");
    clients.emplace_back(server.port(), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    clients.emplace_back(server.port(), "GET / HTTP/1.0\r\n\r\n");
  }
  EXPECT_TRUE(server.Call(kind(), absl::Minutes(1)).status.ok());
  EXPECT_EQ(server.script().entered, 1);
  EXPECT_EQ(server.guard().waiting(), 0);
}

// Calls that wait in the queue, all cancelled at once.
class QueuedCalls {
 public:
  QueuedCalls(KindsServer& server, int count) : calls_(count) {
    for (Call& call : calls_) {
      server.stub().async()->Unary(&call.context, &call.note, &call.note,
                                   [this](const grpc::Status&) { ++ended_; });
    }
  }
  void CancelAndAwait() {
    for (Call& call : calls_) call.context.TryCancel();
    Await([this] { return ended_ == static_cast<int>(calls_.size()); });
  }

 private:
  struct Call {
    grpc::ClientContext context;
    Note note;
  };
  std::atomic<int> ended_{0};
  std::deque<Call> calls_;
};

class ManyCallsTest : public ::testing::TestWithParam<Style> {};

INSTANTIATE_TEST_SUITE_P(Styles, ManyCallsTest,
                         Values(Style::kSync, Style::kCallback),
                         [](const ::testing::TestParamInfo<Style>& info) {
                           return NameOf(info.param);
                         });

TEST_P(ManyCallsTest, TenThousandQueuedCallsAreCancelledAtOnce) {
  constexpr int kCalls = 10000;
  ServerOptions options = LimitedTo(1);
  options.queue.max_time = absl::Hours(1);
  std::atomic<bool> open{false};
  {
    KindsServer server(GetParam(), options);
    server.script().run = [&open](grpc::ServerContextBase*) {
      Await([&open] { return open.load(); });
      return grpc::Status::OK;
    };
    QueuedCalls calls(server, kCalls + 1);
    Await([&server] { return server.guard().waiting() == kCalls; });
    calls.CancelAndAwait();
    open = true;
    server.server().Shutdown();
    EXPECT_EQ(server.guard().waiting(), 0);
  }
  Await([] { return InFlight::Total() == 0; });
}

}  // namespace
}  // namespace testing
}  // namespace forbear
