// What the queue keeps of a server's capacity: 8 slots of 10 ms, deadlines of
// 200 ms, 2 seconds of arrivals, on a manual clock.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "interceptors/admission/admission_queue.h"
#include "interceptors/admission/queue_options.h"
#include "tests/admission/station.h"

namespace forbear {
namespace testing {
namespace {

using Refusal = AdmissionQueue::Refusal;

constexpr absl::Duration kTimeout = absl::Milliseconds(200);
constexpr absl::Duration kService = absl::Milliseconds(10);
constexpr int kCapacity = 800;  // A second.
constexpr int kSeconds = 2;

int Good(const Station& station, absl::string_view prefix = "") {
  int good = 0;
  for (const auto& call : station.calls()) {
    good += call.good() &&
            absl::string_view(call.caller).substr(0, prefix.size()) == prefix;
  }
  return good;
}

void Offer(Station& station, const std::string& caller, double per_second) {
  station.Repeat(
      static_cast<int>(per_second * kSeconds), absl::Seconds(1 / per_second),
      [&station, caller] { station.Send(caller, kTimeout, kService); });
}

class OverloadTest : public ::testing::TestWithParam<int> {};

TEST_P(OverloadTest, KeepsItsGoodputAndWorksForNobodyInVain) {
  Station station(8, QueueOptions());
  Offer(station, "a", GetParam() * kCapacity);
  station.clock().RunUntilIdle();
  EXPECT_GE(Good(station), 0.995 * kCapacity * kSeconds);
  for (const auto& call : station.calls()) {
    EXPECT_EQ(call.finished.has_value(), call.good());
  }
}

TEST_P(OverloadTest, TellsWhoeverCannotBeReachedWithinTwiceTheTarget) {
  Station station(8, QueueOptions());
  Offer(station, "a", GetParam() * kCapacity);
  station.clock().RunUntilIdle();
  for (const auto& call : station.calls()) {
    if (!call.refusal.has_value() || call.sent < absl::Seconds(1)) continue;
    EXPECT_NE(*call.refusal, Refusal::kOutOfTime);
    EXPECT_LE(*call.refused_at - call.sent, 2 * QueueOptions().target);
  }
}

TEST_P(OverloadTest, NineWhoObeyKeepWhatTheyHadBesideOneWhoHammers) {
  Station station(8, QueueOptions());
  for (int i = 0; i < 9; ++i) {
    Offer(station, absl::StrCat("obeys", i), 0.75 * kCapacity / 9);
  }
  Offer(station, "hammers", GetParam() * kCapacity);
  station.clock().RunUntilIdle();
  EXPECT_GE(Good(station, "obeys"),
            0.99 * 9 * static_cast<int>(0.75 * kCapacity / 9 * kSeconds));
  // Whoever hammers gets what is left, and what waits when all is over.
  EXPECT_NEAR(Good(station, "hammers"), 0.25 * kCapacity * kSeconds,
              0.02 * kCapacity * kSeconds);
}

INSTANTIATE_TEST_SUITE_P(Times, OverloadTest, ::testing::Values(2, 5, 10));

TEST(OverloadTest, ServesInOrderBelowCapacity) {
  Station station(8, QueueOptions());
  Offer(station, "a", 0.75 * kCapacity);
  station.clock().RunUntilIdle();
  for (const auto& call : station.calls()) EXPECT_TRUE(call.good());
  EXPECT_EQ(Good(station), 0.75 * kCapacity * kSeconds);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
