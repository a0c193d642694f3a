// A server that goes away in good order, under load, costs no call that it had
// not begun.
#include <grpcpp/server_builder.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/raw_peer.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

// Counts what it was asked to do, and over how many connections.
class Cashier final : public Probe::CallbackService {
 public:
  grpc::ServerUnaryReactor* Charge(grpc::CallbackServerContext* context,
                                   const Ask* ask, Reply*) override {
    return Do(context, *ask);
  }
  grpc::ServerUnaryReactor* Put(grpc::CallbackServerContext* context,
                                const Ask* ask, Reply*) override {
    return Do(context, *ask);
  }

  std::map<std::string, int> done() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return done_;
  }
  size_t connections() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return peers_.size();
  }

 private:
  grpc::ServerUnaryReactor* Do(grpc::CallbackServerContext* context,
                               const Ask& ask) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ++done_[ask.text()];
      peers_.insert(context->peer());
    }
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  mutable std::mutex mutex_;
  std::map<std::string, int> done_;
  std::set<std::string> peers_;
};

// Says goodbye to each connection after `age`, and serves what was begun.
std::unique_ptr<grpc::Server> Listen(
    const std::string& address, Cashier* cashier,
    absl::Duration age = absl::InfiniteDuration()) {
  grpc::ServerBuilder builder;
  if (age != absl::InfiniteDuration()) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                               static_cast<int>(age / absl::Milliseconds(1)));
  }
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterService(cashier);
  return builder.BuildAndStart();
}

class RestartTest : public StylesTest {
 protected:
  static MethodPolicy Patience() {
    MethodPolicy policy = Eager();
    policy.max_attempts = MethodPolicy::kUnlimitedAttempts;
    policy.backoff.initial = absl::Milliseconds(5);
    policy.backoff.max = absl::Milliseconds(5);
    return policy;
  }

  // As many attempts as it takes; there is budget for them.
  RestartTest() {
    options_.policy = Patience();
    RetryBudgetOptions unbounded;
    unbounded.ceiling = 1'000'000;
    options_.policy.target_budget = unbounded;
    options_.process_budget =
        std::make_shared<RetryBudget>(unbounded, SteadyNow());
    options_.arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    options_.arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
    options_.arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100);
  }

  // One call after the other on each of some threads.
  void StartLoad(ProbeStub& stub, ProbeMethod method) {
    for (int t = 0; t < 8; ++t) {
      threads_.emplace_back([this, &stub, method, t] {
        for (int i = 0; !enough_.load(); ++i) {
          grpc::ClientContext context;
          const std::string customer = absl::StrCat(t, "/", i);
          CountEnd(Call(stub, style(), method, &context, customer).status);
        }
      });
    }
  }

  void EndLoad() {
    enough_.store(true);
    for (std::thread& thread : threads_) thread.join();
  }

  void CountEnd(const grpc::Status& status) {
    if (status.ok()) {
      succeeded_.fetch_add(1);
    } else if (status.error_code() == grpc::StatusCode::CANCELLED) {
      dropped_.fetch_add(1);
    } else {
      ADD_FAILURE() << status.error_message();
    }
  }

  void Restart(ProbeStub& stub, const std::string& address, Cashier* cashier,
               ProbeMethod method) {
    std::unique_ptr<grpc::Server> server = Listen(address, cashier);
    StartLoad(stub, method);
    for (int i = 0; i < 3; ++i) {
      AwaitSuccesses(100);
      server->Shutdown();  // Lets what it has begun come to its end.
      server = Listen(address, cashier);
    }
    AwaitSuccesses(100);
    EndLoad();
  }

  void ExpectEachDoneOnce(const Cashier& cashier) const {
    const std::map<std::string, int> done = cashier.done();
    EXPECT_EQ(done.size(), static_cast<size_t>(succeeded_.load()));
    for (const auto& [customer, times] : done) EXPECT_EQ(times, 1) << customer;
  }

  // Waits for as many successes more.
  void AwaitSuccesses(int more) const {
    const int count = succeeded_.load() + more;
    while (succeeded_.load() < count) std::this_thread::yield();
  }

  std::atomic<bool> enough_{false};
  std::atomic<int> succeeded_{0};
  std::atomic<int> dropped_{0};
  std::vector<std::thread> threads_;
};

INSTANTIATE_TEST_SUITE_P(Styles, RestartTest, AllStyles(), StyleAndPath);

// A method of which nothing is said: not one call is lost, none is repeated.
TEST_P(RestartTest, GoodbyesUnderLoadCostNothing) {
  const std::string address = RefusedAddress();
  Cashier cashier;
  const std::unique_ptr<grpc::Server> server =
      Listen(address, &cashier, /*age=*/absl::Milliseconds(20));
  const auto stub = Stub(address);
  StartLoad(*stub, ProbeMethod::kCharge);
  while (cashier.connections() < 5) std::this_thread::yield();
  EndLoad();
  EXPECT_EQ(dropped_, 0);
  ExpectEachDoneOnce(cashier);
}

// A gRPC server that shuts down (1.51.1) answers CANCELLED to what has arrived
// and not begun. An abandoned handler answers the same, so that proves nothing;
// every other call of the time without a server is made, once.
TEST_P(RestartTest, ARestartLosesNothingButWhatTheServerCancels) {
  const std::string address = RefusedAddress();
  Cashier cashier;
  const auto stub = Stub(address);
  Restart(*stub, address, &cashier, ProbeMethod::kCharge);
  ExpectEachDoneOnce(cashier);
}

TEST_P(RestartTest, ARestartLosesNothingThatMayBeRepeatedWhenToldOfTheCode) {
  MethodPolicy policy = Patience();
  policy.classes.Set(absl::StatusCode::kCancelled, StatusClass::kTransient);
  options_.policy = policy;
  const std::string address = RefusedAddress();
  Cashier cashier;
  const auto stub = Stub(address);
  Restart(*stub, address, &cashier, ProbeMethod::kPut);
  EXPECT_EQ(dropped_, 0);
  ExpectEachDoneOnce(cashier);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
