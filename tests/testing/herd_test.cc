// A hundred clients that fail together, and the published figures of what each
// kind of jitter makes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/simulated_call.h"
#include "interceptors/testing/split_mix64.h"

namespace forbear {
namespace {

struct Herd {
  int calls = 0;
  int refused = 0;
  int busiest = 0;  // The calls in the busiest window after the first.
  absl::Duration finished;

  friend bool operator==(const Herd& a, const Herd& b) {
    return a.calls == b.calls && a.refused == b.refused &&
           a.busiest == b.busiest && a.finished == b.finished;
  }
};

void PrintTo(const Herd& herd, std::ostream* out) {
  *out << herd.calls << " calls, " << herd.refused << " refused, busiest "
       << herd.busiest << ", finished after " << herd.finished;
}

// 100 clients call at once; the server accepts the first 10 calls of each
// 100 ms, and refuses the rest on the spot.
Herd RunHerd(Jitter jitter, uint64_t seed) {
  ManualClock clock;
  SimulatedCall call;
  call.policy.max_attempts = MethodPolicy::kUnlimitedAttempts;
  call.policy.repeatable = Repeatable::kYes;
  call.policy.backoff.jitter = jitter;
  call.policy.backoff.initial = absl::Milliseconds(100);
  call.policy.backoff.max = absl::Milliseconds(3200);
  Herd herd;
  std::map<int64_t, int> windows;
  const absl::Time start = clock.Now();
  const Callee server = [&](const Arrival& arrival, const Answer& answer) {
    ++herd.calls;
    const int64_t window = (arrival.at - start) / absl::Milliseconds(100);
    const int in_window = ++windows[window];
    if (window > 0) herd.busiest = std::max(herd.busiest, in_window);
    AttemptEnd end;
    if (in_window > 10) {
      ++herd.refused;
      end.code = absl::StatusCode::kUnavailable;
    } else {
      herd.finished = arrival.at - start;
    }
    answer(end);
  };
  std::vector<std::unique_ptr<SplitMix64>> chances;
  for (int client = 0; client < 100; ++client) {
    call.rank = client;
    chances.push_back(std::make_unique<SplitMix64>(seed * 1'000'003 + client));
    StartCall(clock, *chances.back(), call, server, [](const CallTrace&) {});
  }
  clock.RunUntilIdle();
  return herd;
}

TEST(HerdTest, Seed7GivesThePublishedFigures) {
  EXPECT_EQ(RunHerd(Jitter::kNone, 7),
            (Herd{550, 450, 90, absl::Milliseconds(15'900)}));
  EXPECT_EQ(RunHerd(Jitter::kFull, 7),
            (Herd{406, 306, 53, absl::Milliseconds(2'067)}));
  EXPECT_EQ(RunHerd(Jitter::kEqual, 7),
            (Herd{394, 294, 69, absl::Milliseconds(2'647)}));
  EXPECT_EQ(RunHerd(Jitter::kDecorrelated, 7),
            (Herd{281, 181, 48, absl::Milliseconds(1'850)}));
}

// Means over seeds 1 to 20: counts in tenths, half up; times in whole ms.
struct Means {
  int calls;
  int refused;
  int busiest;
  int finished;
};

Means MeansOf(Jitter jitter) {
  int calls = 0;
  int refused = 0;
  int busiest = 0;
  absl::Duration finished;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Herd herd = RunHerd(jitter, seed);
    calls += herd.calls;
    refused += herd.refused;
    busiest += herd.busiest;
    finished += herd.finished;
  }
  return {(calls + 1) / 2, (refused + 1) / 2, (busiest + 1) / 2,
          static_cast<int>((finished + absl::Milliseconds(10)) /
                           absl::Milliseconds(20))};
}

MATCHER_P4(AreMeans, calls, refused, busiest, finished, "") {
  *result_listener << arg.calls << " " << arg.refused << " " << arg.busiest
                   << " " << arg.finished;
  return arg.calls == calls && arg.refused == refused &&
         arg.busiest == busiest && arg.finished == finished;
}

TEST(HerdTest, TwentySeedsGiveThePublishedMeans) {
  EXPECT_THAT(MeansOf(Jitter::kNone), AreMeans(5500, 4500, 900, 15'900));
  EXPECT_THAT(MeansOf(Jitter::kFull), AreMeans(4081, 3081, 561, 2'285));
  EXPECT_THAT(MeansOf(Jitter::kEqual), AreMeans(3914, 2914, 664, 2'418));
  EXPECT_THAT(MeansOf(Jitter::kDecorrelated), AreMeans(2792, 1792, 507, 1'693));
}

}  // namespace
}  // namespace forbear
