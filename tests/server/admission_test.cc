// Limits, the queue before the handlers, and who is sent away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/server/server_guard.h"
#include "tests/server/kinds_server.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::Combine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::Values;

constexpr absl::Duration kMinute = absl::Minutes(1);

// Handlers wait at it until it is opened.
class Barrier {
 public:
  grpc::Status Pass() {
    Enter();
    std::unique_lock<std::mutex> lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
    --inside_;
    return grpc::Status::OK;
  }
  // Without waiting.
  void Enter() {
    std::lock_guard<std::mutex> lock(mutex_);
    ++inside_;
    most_ = std::max(most_, inside_);
  }
  void Leave() {
    std::lock_guard<std::mutex> lock(mutex_);
    --inside_;
  }
  void Open() {
    std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  int inside() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return inside_;
  }
  int most() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return most_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
  int inside_ = 0;
  int most_ = 0;
};

ServerOptions LimitedTo(int calls) {
  ServerOptions options;
  options.max_concurrent_calls = calls;
  return options;
}

class AdmissionTest : public ::testing::TestWithParam<std::tuple<Style, Kind>> {
 protected:
  ~AdmissionTest() override {
    JoinCalls();
    server_.reset();
    Await([] { return InFlight::Total() == 0; });
  }

  Style style() const { return std::get<0>(GetParam()); }
  Kind kind() const { return std::get<1>(GetParam()); }

  // Its handlers stop at the barrier.
  void Serve(const ServerOptions& options) {
    server_ = std::make_unique<KindsServer>(style(), options);
    server_->script().run = [this](grpc::ServerContextBase*) {
      return barrier_.Pass();
    };
  }

  // A call on a thread of its own; its reply lands in replies_.
  void Start(absl::Duration timeout = kMinute) {
    calls_.emplace_back([this, timeout] {
      Reply reply = server_->Call(kind(), timeout);
      std::lock_guard<std::mutex> lock(mutex_);
      replies_.push_back(std::move(reply));
    });
  }
  // Calls until `waiting` of them wait, one after another.
  void StartAndQueue(int running, int waiting) {
    for (int i = 1; i <= running; ++i) {
      Start();
      Await([this, i] { return barrier_.inside() == i; });
    }
    for (int i = 1; i <= waiting; ++i) {
      Start();
      Await([this, i] {
        return server_->guard().waiting() == static_cast<size_t>(i);
      });
    }
  }
  void JoinCalls() {
    barrier_.Open();
    for (auto& call : calls_) call.join();
    calls_.clear();
  }
  std::vector<Reply> replies() {
    std::lock_guard<std::mutex> lock(mutex_);
    return replies_;
  }

  Barrier barrier_;
  std::unique_ptr<KindsServer> server_;
  std::vector<std::thread> calls_;
  std::mutex mutex_;
  std::vector<Reply> replies_;
};

INSTANTIATE_TEST_SUITE_P(
    AllKinds, AdmissionTest,
    Combine(Values(Style::kSync, Style::kCallback),
            Values(Kind::kUnary, Kind::kUpload, Kind::kDownload, Kind::kChat)),
    [](const ::testing::TestParamInfo<AdmissionTest::ParamType>& info) {
      return NameOf(std::get<0>(info.param)) + NameOf(std::get<1>(info.param));
    });

TEST_P(AdmissionTest, CallsOverTheLimitWaitForTheirTurn) {
  // Handlers of this test hold their threads: gRPC's callbacks have two.
  Serve(LimitedTo(1));
  StartAndQueue(/*running=*/1, /*waiting=*/3);
  EXPECT_EQ(barrier_.inside(), 1);
  JoinCalls();

  for (const Reply& reply : replies()) {
    EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
  }
  EXPECT_EQ(server_->script().entered, 4);
  EXPECT_EQ(barrier_.most(), 1);
  EXPECT_EQ(server_->guard().waiting(), 0);
  server_->recorder().AwaitEnded(4);
  EXPECT_EQ(server_->recorder().queued()[0], absl::ZeroDuration());
  for (int i = 1; i < 4; ++i) {
    EXPECT_GT(server_->recorder().queued()[i], absl::ZeroDuration());
  }
}

TEST_P(AdmissionTest, AMethodsOwnLimitHoldsBelowTheServers) {
  ServerOptions options = LimitedTo(100);
  options.methods[MethodOf(kind()).substr(1)].max_concurrent_calls = 1;
  Serve(options);
  StartAndQueue(/*running=*/1, /*waiting=*/2);
  JoinCalls();
  EXPECT_EQ(barrier_.most(), 1);
  EXPECT_EQ(server_->script().entered, 3);
}

// It has a minute, and may start while it has all but 50 ms of it.
TEST_P(AdmissionTest, ACallWhoseTimeRunsOutInTheQueueIsNotRun) {
  ServerOptions options = LimitedTo(1);
  options.minimum_time_left = kMinute - absl::Milliseconds(50);
  Serve(options);
  Start(absl::Hours(1));
  Await([this] { return barrier_.inside() == 1; });
  const Reply reply = server_->Call(kind(), kMinute);
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(reply.status.error_message(), HasSubstr("it was not run"));
  EXPECT_THAT(reply.Trailers(kNotAppliedKey), ElementsAre(kNotAppliedValue));
  ASSERT_THAT(server_->recorder().refused(), SizeIs(1));
  EXPECT_EQ(server_->recorder().refused()[0].reason,
            Observer::RefusalReason::kDoomed);
  JoinCalls();
  EXPECT_EQ(server_->script().entered, 1);
}

TEST_P(AdmissionTest, WhoCannotWaitIsToldWhenToComeBack) {
  ServerOptions options = LimitedTo(1);
  options.queue.max_calls = 0;
  Serve(options);
  StartAndQueue(1, 0);
  const Reply reply = server_->Call(kind(), kMinute);
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(reply.status.error_message(),
            "the server has more to do than it can do in time; it was not run");
  EXPECT_THAT(reply.Trailers(kNotAppliedKey), ElementsAre(kNotAppliedValue));
  ASSERT_THAT(reply.Trailers(kPushbackKey), SizeIs(1));
  int pushback = 0;
  ASSERT_TRUE(absl::SimpleAtoi(reply.Trailers(kPushbackKey)[0], &pushback));
  // Nothing is measured yet: about the queue's target of 20 ms.
  EXPECT_GE(pushback, 10);
  EXPECT_LE(pushback, 30);
  ASSERT_THAT(server_->recorder().refused(), SizeIs(1));
  const auto refused = server_->recorder().refused()[0];
  EXPECT_EQ(refused.reason, Observer::RefusalReason::kOverloaded);
  EXPECT_EQ(refused.pushback, absl::Milliseconds(pushback));
  EXPECT_TRUE(refused.enforced);
}

TEST_P(AdmissionTest, WhoHasNoDeadlineWaitsNoLongerThanItMay) {
  ServerOptions options = LimitedTo(1);
  options.queue.max_time = absl::Milliseconds(5);
  Serve(options);
  StartAndQueue(1, 0);
  const Reply reply = server_->Call(kind(), absl::InfiniteDuration());
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(reply.status.error_message(),
              HasSubstr("as long as this server lets a call wait"));
  EXPECT_THAT(reply.Trailers(kPushbackKey), SizeIs(1));
}

TEST_P(AdmissionTest, ObservingRunsWhatItWouldHaveKeptAndSaysSo) {
  ServerOptions options = LimitedTo(1);
  options.mode = Mode::kObserve;
  Serve(options);
  Start();
  Await([this] { return barrier_.inside() == 1; });
  Start();
  Await([this] { return barrier_.inside() == 2; });
  EXPECT_EQ(server_->guard().waiting(), 0);
  JoinCalls();
  ASSERT_THAT(server_->recorder().refused(), SizeIs(1));
  EXPECT_EQ(server_->recorder().refused()[0].reason,
            Observer::RefusalReason::kOverloaded);
  EXPECT_FALSE(server_->recorder().refused()[0].enforced);
}

TEST_P(AdmissionTest, DrainingAnswersTheQueueAndLetsHandlersFinish) {
  Serve(LimitedTo(1));
  StartAndQueue(1, 3);
  server_->guard().Drain();
  Await([this] { return replies().size() == 3; });
  const Reply late = server_->Call(kind(), kMinute);
  EXPECT_EQ(late.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  for (const Reply& reply : replies()) {
    EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(reply.status.error_message(),
              "the server is about to stop; it was not run");
    EXPECT_THAT(reply.Trailers(kPushbackKey), SizeIs(1));
    EXPECT_THAT(reply.Trailers(kNotAppliedKey), ElementsAre(kNotAppliedValue));
  }
  JoinCalls();
  EXPECT_TRUE(replies().back().status.ok());
  EXPECT_EQ(server_->script().entered, 1);
}

TEST_P(AdmissionTest, AServerThatShutsDownAnswersThoseWhoWait) {
  Serve(LimitedTo(1));
  StartAndQueue(1, 3);
  std::thread stops([this] { server_->server().Shutdown(); });
  JoinCalls();
  stops.join();
  EXPECT_THAT(replies(), SizeIs(4));
  EXPECT_EQ(server_->guard().waiting(), 0);
}

TEST_P(AdmissionTest, CallsThatAreCancelledInTheQueueLeaveNothingBehind) {
  Serve(LimitedTo(1));
  StartAndQueue(1, 0);
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  for (int i = 0; i < 20; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    calls_.emplace_back([this, context = contexts.back().get()] {
      EXPECT_EQ(server_->Call(kind(), context).status.error_code(),
                grpc::StatusCode::CANCELLED);
    });
  }
  Await([this] { return server_->guard().waiting() == 20; });
  for (auto& context : contexts) context->TryCancel();
  JoinCalls();
  server_->server().Shutdown();
  EXPECT_EQ(server_->guard().waiting(), 0);
  // A cancellation may come too late to keep its handler from running.
  const auto refused = server_->recorder().refused();
  EXPECT_EQ(server_->script().entered + refused.size(), 21);
  for (const auto& call : refused) {
    EXPECT_EQ(call.reason, Observer::RefusalReason::kCallerGone);
  }
}

// --- The method's own time ---

class MeasuredTimeTest : public ::testing::TestWithParam<Style> {};

INSTANTIATE_TEST_SUITE_P(Styles, MeasuredTimeTest,
                         Values(Style::kSync, Style::kCallback),
                         [](const ::testing::TestParamInfo<Style>& info) {
                           return NameOf(info.param);
                         });

// Handlers of 2 ms; a call that has 1 ms left when it gets there. It may not
// get there in time at all, so calls are made until one does.
TEST_P(MeasuredTimeTest, CountsWhatIsTooSlowAndRefusesItWhenTold) {
  for (const bool enforce : {false, true}) {
    ServerOptions options;
    options.enforce_measured_time = enforce;
    KindsServer server(GetParam(), options);
    server.script().run = [](grpc::ServerContextBase*) {
      std::mutex mutex;
      std::condition_variable never;
      std::unique_lock<std::mutex> lock(mutex);
      never.wait_for(lock, std::chrono::milliseconds(2));
      return grpc::Status::OK;
    };
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(server.Call(Kind::kUnary, kMinute).status.ok());
    }
    server.recorder().AwaitEnded(100);
    // The measure is taken ten times a second at most.
    const auto found = [&server] {
      const auto refused = server.recorder().refused();
      return std::any_of(refused.begin(), refused.end(), [](const auto& r) {
        return r.reason == Observer::RefusalReason::kTooSlow;
      });
    };
    while (!found()) server.Call(Kind::kUnary, absl::Milliseconds(2));
    server.server().Shutdown();
    for (const auto& refused : server.recorder().refused()) {
      if (refused.reason != Observer::RefusalReason::kTooSlow) continue;
      EXPECT_EQ(refused.enforced, enforce);
      EXPECT_LT(refused.time_left, absl::Milliseconds(4));
    }
  }
}

// One waits, and no more may: a retry comes, or something that has time.
TEST_P(AdmissionTest, ARetryOrWhatIsLessUrgentGoesFirstIfItsCallerIsTrusted) {
  for (const auto& [key, value, trusted] :
       std::vector<std::tuple<absl::string_view, std::string, bool>>{
           {kPreviousAttemptsKey, "1", false},
           {kPreviousAttemptsKey, "1", true},
           {kPriorityKey, "u=5", false},
           {kPriorityKey, "u=5", true}}) {
    ServerOptions options = LimitedTo(1);
    options.queue.max_calls = 1;
    if (trusted) options.trusted_peers = {"ipv4:127.0.0.1"};
    KindsServer server(style(), options);
    Barrier barrier;
    server.script().run = [&barrier](grpc::ServerContextBase*) {
      return barrier.Pass();
    };
    std::thread runs([&] { server.Call(kind(), kMinute); });
    Await([&] { return barrier.inside() == 1; });
    Reply first;
    std::thread waits([&] { first = server.Call(kind(), kMinute); });
    Await([&] { return server.guard().waiting() == 1; });
    Reply retry;
    const std::pair<absl::string_view, std::string> claim(key, value);
    std::thread retries([&] {
      grpc::ClientContext context;
      context.AddMetadata(std::string(claim.first), claim.second);
      retry = server.Call(kind(), &context);
    });
    Await([&] { return server.recorder().refused().size() == 1; });
    barrier.Open();
    for (std::thread* thread : {&runs, &waits, &retries}) thread->join();
    EXPECT_EQ(first.status.ok(), trusted);
    EXPECT_EQ(retry.status.ok(), !trusted);
  }
}

TEST(AdaptiveLimitTest, GrowsFromItsLeastWhereItIsReached) {
  ServerOptions options = LimitedTo(30);
  options.least_concurrent_calls = 2;
  KindsServer server(Style::kSync, options);
  Barrier barrier;
  server.script().run = [&barrier](grpc::ServerContextBase*) {
    return barrier.Pass();
  };
  const auto call_at_once = [&](int calls) {
    std::vector<std::thread> callers;
    for (int i = 0; i < calls; ++i) {
      callers.emplace_back([&server] {
        EXPECT_TRUE(server.Call(Kind::kUnary, kMinute).status.ok());
      });
    }
    return callers;
  };
  const auto end = [](std::vector<std::thread> callers) {
    for (std::thread& caller : callers) caller.join();
  };
  std::vector<std::thread> callers = call_at_once(20);
  Await(
      [&] { return barrier.inside() == 2 && server.guard().waiting() == 18; });
  barrier.Open();
  end(std::move(callers));
  EXPECT_EQ(barrier.most(), 2);
  // From now on each stays for a moment, however many there are.
  std::condition_variable never;
  server.script().run = [&](grpc::ServerContextBase*) {
    barrier.Enter();
    std::mutex mutex;
    std::unique_lock<std::mutex> lock(mutex);
    never.wait_for(lock, std::chrono::milliseconds(2));
    barrier.Leave();
    return grpc::Status::OK;
  };
  while (barrier.most() <= 2) end(call_at_once(20));
}

TEST_P(AdmissionTest, InterceptorsOfTheUsersStillSeeEveryBatch) {
  // Holds each call until its deadline, before the guard sees it.
  server_ =
      std::make_unique<KindsServer>(style(), LimitedTo(1), HoldUntilExpired());
  absl::Duration timeout = absl::Milliseconds(20);
  while (server_->recorder().refused().empty()) {
    EXPECT_EQ(server_->Call(kind(), timeout).status.error_code(),
              grpc::StatusCode::DEADLINE_EXCEEDED);
    timeout *= 2;
  }
  EXPECT_EQ(server_->script().entered, 0);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
