#include "interceptors/admission/admission.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/admission/held_call.h"
#include "interceptors/admission/queue_options.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"

namespace forbear {
namespace testing {
namespace {

using Refusal = AdmissionQueue::Refusal;

// What calls did, and a door that holds them in their handlers.
struct Backend {
  std::mutex mutex;
  std::condition_variable opened;
  bool open = true;
  std::atomic<int> inside{0};
  std::atomic<int> most_inside{0};
  std::atomic<int> handled{0};
  std::atomic<int> refused{0};

  void Handle() {
    const int now_inside = ++inside;
    int most = most_inside;
    while (most < now_inside &&
           !most_inside.compare_exchange_weak(most, now_inside)) {
    }
    std::unique_lock<std::mutex> lock(mutex);
    opened.wait(lock, [this] { return open; });
    --inside;
    ++handled;
  }
  void Close() {
    std::lock_guard<std::mutex> lock(mutex);
    open = false;
  }
  void Open() {
    std::lock_guard<std::mutex> lock(mutex);
    open = true;
    opened.notify_all();
  }
};

class Call : public HeldCall {
 public:
  Call(Backend* backend, absl::Time latest_start = absl::InfiniteFuture())
      : backend_(*backend), latest_start_(latest_start) {}

  Description Describe() override { return {"a", latest_start_, false}; }
  bool Blocks() const override { return true; }
  bool Run(const Verdict& verdict) override {
    if (verdict.refusal.has_value()) {
      ++backend_.refused;
    } else {
      backend_.Handle();
    }
    return true;
  }

 private:
  Backend& backend_;
  const absl::Time latest_start_;
};

// Its handler goes on after Run() has returned, as a reactor does.
class LateCall final : public Call {
 public:
  LateCall(Backend* backend, std::vector<HeldCall*>* running)
      : Call(backend), running_(*running), backend_(*backend) {}

  bool Blocks() const override { return false; }
  bool Run(const Verdict& verdict) override {
    if (verdict.refusal.has_value()) return Call::Run(verdict);
    std::lock_guard<std::mutex> lock(backend_.mutex);
    running_.push_back(this);
    return false;
  }

 private:
  std::vector<HeldCall*>& running_;
  Backend& backend_;
};

void Await(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::yield();
}

class AdmissionTest : public ::testing::Test {
 protected:
  ~AdmissionTest() override { EXPECT_EQ(InFlight::Total(), 0); }
  // So many threads that bring a call each.
  void Bring(Admission& admission, Gate* gate, int calls) {
    for (int i = 0; i < calls; ++i) {
      threads_.emplace_back([&admission, gate, this] {
        admission.Arrive(std::make_unique<Call>(&backend_), gate);
      });
    }
  }
  void Join() {
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

  Backend backend_;
  std::vector<std::thread> threads_;
};

TEST_F(AdmissionTest, RunsNoMoreThanTheLimitAtOnce) {
  {
    Admission admission(3, QueueOptions());
    Bring(admission, nullptr, 50);
    Join();
  }
  EXPECT_EQ(backend_.handled + backend_.refused, 50);
  EXPECT_LE(backend_.most_inside, 3);
}

TEST_F(AdmissionTest, AWaitingCallHoldsNoThread) {
  Admission admission(1, QueueOptions());
  backend_.Close();
  Bring(admission, nullptr, 1);
  Await([this] { return backend_.inside == 1; });
  // This thread comes back while its calls wait.
  for (int i = 0; i < 20; ++i) {
    admission.Arrive(std::make_unique<Call>(&backend_), nullptr);
  }
  EXPECT_EQ(admission.waiting(), 20);
  backend_.Open();
  Join();  // The thread that was inside has run them all.
  EXPECT_EQ(backend_.handled + backend_.refused, 21);
}

TEST_F(AdmissionTest, AMethodsLimitLeavesTheOthersTheirRoom) {
  Admission admission(4, QueueOptions());
  Gate* const gate = admission.AddGate(1);
  backend_.Close();
  Bring(admission, gate, 3);
  Await([&] { return backend_.inside == 1 && admission.waiting() == 2; });
  Bring(admission, nullptr, 4);
  Await([&] { return backend_.inside == 4 && admission.waiting() == 3; });
  backend_.Open();
  Join();
  Await([this] { return backend_.handled == 7; });
}

TEST_F(AdmissionTest, AMethodsLimitAloneWorks) {
  Admission admission(0, QueueOptions());
  Gate* const gate = admission.AddGate(2);
  Bring(admission, gate, 30);
  Join();
  Await([this] { return backend_.handled + backend_.refused == 30; });
  EXPECT_LE(backend_.most_inside, 2);
}

TEST_F(AdmissionTest, RefusesACallAtItsLatestStart) {
  Admission admission(1, QueueOptions());
  backend_.Close();
  Bring(admission, nullptr, 1);
  Await([this] { return backend_.inside == 1; });
  admission.Arrive(
      std::make_unique<Call>(&backend_, SteadyNow() + absl::Milliseconds(5)),
      nullptr);
  Await([this] { return backend_.refused == 1; });
  backend_.Open();
  Join();
}

TEST_F(AdmissionTest, RunsWaitingCallsOnThreadsOfItsOwnWhenOthersLeave) {
  Admission admission(2, QueueOptions());
  std::vector<HeldCall*> running;
  for (int i = 0; i < 2; ++i) {
    admission.Arrive(std::make_unique<LateCall>(&backend_, &running), nullptr);
  }
  ASSERT_EQ(running.size(), 2);
  admission.Arrive(std::make_unique<Call>(&backend_), nullptr);
  admission.Arrive(std::make_unique<Call>(&backend_), nullptr);
  EXPECT_EQ(admission.waiting(), 2);
  for (HeldCall* call : running) admission.Leave(call);
  Await([this] { return backend_.handled == 2; });
}

TEST_F(AdmissionTest, RefusesAllThatWaitAndAllThatComeWhenDraining) {
  Admission admission(1, QueueOptions());
  Gate* const gate = admission.AddGate(1);
  backend_.Close();
  Bring(admission, gate, 3);
  Await([&] { return backend_.inside == 1 && admission.waiting() == 2; });
  admission.Arrive(std::make_unique<Call>(&backend_), nullptr);
  admission.Drain();
  Await([this] { return backend_.refused == 3; });
  admission.Arrive(std::make_unique<Call>(&backend_), nullptr);
  EXPECT_EQ(backend_.refused, 4);
  backend_.Open();
  Join();
  EXPECT_EQ(backend_.handled, 1);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
