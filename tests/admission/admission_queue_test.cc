#include "interceptors/admission/admission_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "absl/time/time.h"
#include "interceptors/admission/queue_options.h"
#include "tests/admission/station.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using Refusal = AdmissionQueue::Refusal;

constexpr absl::Duration Ms(int64_t ms) { return absl::Milliseconds(ms); }
constexpr absl::Duration kLong = absl::Seconds(2);
constexpr absl::Duration kNever = absl::InfiniteDuration();

// One slot, a target of 20 ms, calls of 10 ms.
class AdmissionQueueTest : public ::testing::Test {
 protected:
  Station::Call& Send(absl::Duration timeout = kLong, bool repeat = false) {
    return station_.Send("a", timeout, Ms(10), repeat);
  }
  // The calls' numbers, from 0, in the order of their entering.
  std::vector<int> Order() {
    std::vector<int> order;
    for (const Station::Call* call : station_.entered()) {
      for (size_t i = 0; i < station_.calls().size(); ++i) {
        if (call == &station_.calls()[i]) order.push_back(i);
      }
    }
    return order;
  }
  void Run() { station_.clock().RunUntilIdle(); }

  QueueOptions options_;
  Station station_{1, options_};
};

TEST_F(AdmissionQueueTest, LetsACallInAtOnceWhileThereIsRoom) {
  EXPECT_EQ(Send().entered_at, Ms(0));
  EXPECT_EQ(Send().entered_at, absl::nullopt);
  EXPECT_EQ(station_.queue().running(), 1);
  EXPECT_EQ(station_.queue().waiting(), 1);
  Run();
  EXPECT_EQ(station_.queue().running(), 0);
  EXPECT_EQ(station_.queue().waiting(), 0);
}

TEST_F(AdmissionQueueTest, ServesInOrderWhileTheWaitIsUnderTheTarget) {
  for (int i = 0; i < 3; ++i) Send();
  Run();
  EXPECT_THAT(Order(), ElementsAre(0, 1, 2));
  EXPECT_FALSE(station_.queue().newest_first());
}

TEST_F(AdmissionQueueTest, ServesTheNewestFirstPastTheTarget) {
  for (int i = 0; i < 6; ++i) Send();
  Run();
  // At 10 ms the rate is known, and four do not drain within 20 ms.
  EXPECT_THAT(Order(), ElementsAre(0, 5, 4, 3, 2, 1));
}

TEST_F(AdmissionQueueTest, GoesBackToTheOrderOfArrivalWhenTheQueueIsEmpty) {
  for (int i = 0; i < 6; ++i) Send();
  Run();
  for (int i = 0; i < 3; ++i) Send();
  Run();
  EXPECT_THAT(Order(), ElementsAre(0, 5, 4, 3, 2, 1, 6, 7, 8));
}

// 15 calls of 10 ms at once, each with 200 ms: none will be late.
TEST_F(AdmissionQueueTest, KeepsABurstThatItCanServeInTime) {
  Send();
  Run();
  for (int i = 0; i < 15; ++i) Send(Ms(200));
  Run();
  for (const auto& call : station_.calls()) EXPECT_TRUE(call.good());
}

TEST_F(AdmissionQueueTest, RefusesWhatABurstHasTooMuchAtOnce) {
  Send();
  Send();
  Run();
  for (int i = 0; i < 30; ++i) Send(Ms(150));
  int refused_at_once = 0;
  for (const auto& call : station_.calls()) {
    refused_at_once += call.refusal.has_value();
  }
  EXPECT_GE(refused_at_once, 14);
  Run();
  for (const auto& call : station_.calls()) {
    EXPECT_NE(call.refusal, Refusal::kOutOfTime);
    EXPECT_NE(call.good(), call.refusal.has_value());
  }
}

// Calls of 2 s, and half a minute for each.
TEST_F(AdmissionQueueTest, KeepsWhoCanWaitForASlowServer) {
  options_.max_time = absl::Minutes(1);
  Station station(1, options_);
  for (int i = 0; i < 12; ++i) {
    station.Send("a", absl::Seconds(30), absl::Seconds(2));
  }
  station.clock().RunUntilIdle();
  for (const auto& call : station.calls()) EXPECT_TRUE(call.good());
}

TEST_F(AdmissionQueueTest, RefusesACallAtItsLatestStart) {
  Send();
  const auto& late = Send(Ms(5));
  station_.clock().Advance(Ms(9));
  EXPECT_EQ(late.refusal, Refusal::kOutOfTime);
  EXPECT_EQ(late.refused_at, Ms(5));
}

TEST_F(AdmissionQueueTest, RefusesACallThatHasNoDeadlineAfterTheLongestWait) {
  station_.Send("a", kNever, absl::Minutes(1));
  const auto& waits = Send(kNever);
  Run();
  EXPECT_EQ(waits.refusal, Refusal::kQueuedTooLong);
  EXPECT_EQ(waits.refused_at, options_.max_time);
}

TEST_F(AdmissionQueueTest, KeepsNoMoreThanItMay) {
  options_.max_calls = 2;
  Station station(1, options_);
  for (int i = 0; i < 4; ++i) station.Send("a", kLong, Ms(10));
  EXPECT_EQ(station.queue().waiting(), 2);
  // The oldest of those who wait.
  EXPECT_EQ(station.calls()[1].refusal, Refusal::kOverloaded);
}

TEST_F(AdmissionQueueTest, LetsNobodyWaitWhenNobodyMay) {
  options_.max_calls = 0;
  Station station(1, options_);
  station.Send("a", kLong, Ms(10));
  EXPECT_EQ(station.Send("a", kLong, Ms(10)).refusal, Refusal::kOverloaded);
}

TEST_F(AdmissionQueueTest, RefusesRepeatsBeforeFirstAttempts) {
  options_.max_calls = 2;
  Station station(1, options_);
  const auto send = [&](bool repeat) {
    return &station.Send("a", kLong, Ms(10), repeat);
  };
  send(false);
  auto* first = send(false);
  auto* repeat = send(true);
  auto* second = send(false);
  EXPECT_EQ(first->refusal, absl::nullopt);
  EXPECT_EQ(repeat->refusal, Refusal::kOverloaded);
  EXPECT_EQ(second->refusal, absl::nullopt);
}

// --- When to come back ---

// At 100 calls a second, whoever is third to be sent away, with two waiting:
// five in all, so 50 ms, and half of it with chance at its bottom.
TEST_F(AdmissionQueueTest, SaysToComeBackWhenAllSentAwayCouldBeServed) {
  options_.max_calls = 2;
  Station station(1, options_);
  station.Send("a", kLong, Ms(10));
  station.Send("a", kLong, Ms(10));
  station.clock().RunUntilIdle();
  std::vector<absl::Duration> pushbacks;
  for (int i = 0; i < 6; ++i) station.Send("a", kLong, Ms(10));
  for (const auto& call : station.calls()) {
    if (call.refusal.has_value()) pushbacks.push_back(call.pushback);
  }
  EXPECT_THAT(pushbacks, ElementsAre(Ms(15), Ms(20), Ms(25)));
}

TEST_F(AdmissionQueueTest, SaysToComeBackSoonWhenNothingIsMeasured) {
  options_.max_calls = 0;
  Station station(1, options_);
  station.Send("a", kLong, Ms(10));
  EXPECT_EQ(station.Send("a", kLong, Ms(10)).pushback, options_.target / 2);
}

// --- At the door ---

TEST_F(AdmissionQueueTest, RefusesAtTheDoorWhoReturnsEarlyToAFullQueue) {
  Send();
  Send();
  Run();
  station_.Repeat(400, Ms(1), [this] { Send(Ms(100)); });
  Run();
  int at_the_door = 0;
  for (const auto& call : station_.calls()) {
    at_the_door += call.refusal == Refusal::kReturnedEarly;
    // Nobody is left to expire.
    EXPECT_NE(call.refusal, Refusal::kOutOfTime);
  }
  EXPECT_GT(at_the_door, 200);
}

TEST_F(AdmissionQueueTest, RefusesNobodyAtTheDoorWhoWasNotSentAway) {
  for (int i = 0; i < 6; ++i) Send();
  station_.clock().Advance(Ms(15));
  ASSERT_TRUE(station_.queue().newest_first());
  PinnedChance chance = PinnedChance::Top();
  EXPECT_EQ(
      station_.queue().RefusedAtTheDoor("a", station_.clock().Now(), chance),
      absl::nullopt);
}

// --- The end ---

TEST_F(AdmissionQueueTest, RefusesWhoWaitsAndWhoComesWhenDraining) {
  const auto& runs = Send();
  const auto& waits = Send();
  station_.Drain();
  const auto& comes = Send();
  Run();
  EXPECT_TRUE(runs.good());
  EXPECT_EQ(waits.refusal, Refusal::kDraining);
  EXPECT_EQ(comes.refusal, Refusal::kDraining);
  EXPECT_GT(waits.pushback, absl::ZeroDuration());
  EXPECT_EQ(station_.queue().waiting(), 0);
}

TEST_F(AdmissionQueueTest, EveryCallOfAStormIsDecidedOnce) {
  for (int i = 0; i < 10000; ++i) {
    station_.Send(i % 3 == 0 ? "a" : "b", i % 2 == 0 ? kNever : Ms(i), Ms(1));
  }
  Run();
  for (const auto& call : station_.calls()) {
    EXPECT_NE(call.finished.has_value(), call.refusal.has_value());
  }
  EXPECT_EQ(station_.queue().running(), 0);
  EXPECT_EQ(station_.queue().waiting(), 0);
  EXPECT_EQ(station_.queue().WakeAt(), absl::InfiniteFuture());
}

TEST(QueueOptionsTest, NamesTheFieldTheValueAndTheRange) {
  QueueOptions options;
  EXPECT_EQ(options.Validate("x."), absl::OkStatus());
  options.target = absl::ZeroDuration();
  EXPECT_EQ(options.Validate("x.").message(),
            "x.target: 0 is out of range [1ms, 10s]");
  options = QueueOptions();
  options.max_time = absl::InfiniteDuration();
  EXPECT_EQ(options.Validate("x.").message(),
            "x.max_time: inf is out of range [1ms, 1h]");
  options = QueueOptions();
  options.max_calls = -1;
  EXPECT_EQ(options.Validate("x.").message(),
            "x.max_calls: -1 is out of range [0, 1000000]");
}

}  // namespace
}  // namespace testing
}  // namespace forbear
