// What a call that waits to be retried holds: no thread, and little memory.
#include <grpcpp/create_channel.h>
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "absl/synchronization/blocking_counter.h"
#include "gtest/gtest.h"
#include "interceptors/telemetry/observer.h"
#include "tests/client/raw_peer.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

constexpr int kCalls = 10'000;
constexpr size_t kRequest = 512;
constexpr size_t kAllowed = 4096;  // Beside its request.

// One arena, so that what all threads hold is counted in one place. Before any
// thread has one of its own.
const bool kOneArena = mallopt(M_ARENA_MAX, 1) != 0;

size_t Held() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

int Threads() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "Threads:") continue;
  int threads = 0;
  status >> threads;
  return threads;
}

// Calls under way, and what they need to be.
class Calls {
 public:
  explicit Calls(std::shared_ptr<grpc::ChannelInterface> channel)
      : stub_(Probe::NewStub(std::move(channel))) {}

  void Start() {
    const std::string text(kRequest, 'x');
    for (int i = 0; i < kCalls; ++i) {
      One& one = calls_.emplace_back();
      Ask ask;
      ask.set_text(text);
      stub_->async()->Read(
          &one.context, &ask, &one.reply,
          [this](const grpc::Status&) { ended_.DecrementCount(); });
    }
  }
  ~Calls() {
    for (One& one : calls_) one.context.TryCancel();
    ended_.Wait();
  }

 private:
  struct One {
    grpc::ClientContext context;
    Reply reply;
  };

  const std::unique_ptr<Probe::Stub> stub_;
  absl::BlockingCounter ended_{kCalls};
  std::deque<One> calls_;
};

// Answers each call's first so many attempts, and no later one.
class Failing {
 public:
  explicit Failing(int failures)
      : peer_([this, failures](RawConnection& connection) {
          while (const uint32_t stream = connection.AwaitCall()) {
            if (failures > 0) {
              connection.Trailers(stream, {{":status", "200"},
                                           {"content-type", "application/grpc"},
                                           {"grpc-status", "14"}});
            }
            arrived_.fetch_add(1);
          }
        }) {}

  const std::string& address() const { return peer_.address(); }
  void Await(int calls) const {
    while (arrived_.load() < calls) std::this_thread::yield();
  }

 private:
  std::atomic<int> arrived_{0};
  RawPeer peer_;
};

std::shared_ptr<grpc::ChannelInterface> Plain(const Failing& peer) {
  return grpc::CreateChannel(peer.address(),
                             grpc::InsecureChannelCredentials());
}

// Bytes that a plain call in flight holds, its request not counted.
size_t HeldByAPlainCall() {
  const Failing peer(0);
  const auto channel = Plain(peer);
  channel->WaitForConnected(std::chrono::system_clock::time_point::max());
  Calls calls(channel);
  const size_t before = Held();
  calls.Start();
  peer.Await(kCalls);
  return (Held() - before) / kCalls;
}

// Counts waits, and keeps nothing of them.
class WaitCount final : public Observer {
 public:
  void WaitScheduled(const Wait&) override { waits_.fetch_add(1); }
  void Await(int waits) const {
    while (waits_.load() < waits) std::this_thread::yield();
  }

 private:
  std::atomic<int> waits_{0};
};

ClientOptions WaitingAfter(int failures, const std::shared_ptr<WaitCount>& to) {
  MethodPolicy policy;
  policy.backoff.jitter = Jitter::kNone;
  policy.backoff.initial =
      failures == 1 ? absl::Hours(1) : absl::Milliseconds(1);
  policy.backoff.multiplier = 1e9;
  policy.backoff.max = absl::Hours(1);
  ClientOptions options;
  options.policy = policy;
  RetryBudgetOptions roomy;
  roomy.ceiling = 1'000'000;
  options.policy.target_budget = roomy;
  options.process_budget = std::make_shared<RetryBudget>(roomy, SteadyNow());
  options.observer = to;
  return options;
}

// After the first attempt, which is the call itself, and after a later one.
class WaitingCallsTest : public ::testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Failures, WaitingCallsTest, ::testing::Values(1, 2));

TEST_P(WaitingCallsTest, HoldNoThreadAndLittleMoreThanTheirRequest) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's heap is not the one that is measured";
#endif
  ASSERT_TRUE(kOneArena);
  const size_t plain = HeldByAPlainCall();
  const int failures = GetParam();
  const Failing peer(failures);
  const auto waits = std::make_shared<WaitCount>();
  const auto channel =
      CreateChannel(peer.address(), grpc::InsecureChannelCredentials(),
                    WaitingAfter(failures, waits));
  channel->WaitForConnected(std::chrono::system_clock::time_point::max());
  Calls calls(channel);
  const size_t before = Held();
  const int threads = Threads();
  calls.Start();
  waits->Await(failures * kCalls);
  const size_t waiting = (Held() - before) / kCalls;
  RecordProperty("plain", static_cast<int>(plain));
  RecordProperty("waiting", static_cast<int>(waiting));
  EXPECT_LE(waiting, plain + kRequest + kAllowed) << "plain: " << plain;
  // gRPC starts its few when they are needed first; none for a call.
  EXPECT_LE(Threads() - threads, 32);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
