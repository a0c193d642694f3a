#include "interceptors/telemetry/recent_quantile.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "absl/time/time.h"

namespace forbear {
namespace {

absl::Time At(absl::Duration since) { return absl::UnixEpoch() + since; }

// What is within the bound of `latency`.
void ExpectNear(absl::Duration got, absl::Duration latency) {
  const double off = absl::FDivDuration(got - latency, latency);
  EXPECT_LE(off, LatencySketch::kRelativeError);
  EXPECT_GE(off, -LatencySketch::kRelativeError);
}

TEST(RecentQuantileTest, IsInfiniteUntilEnoughIsMeasured) {
  RecentQuantile p50(0.5, /*least=*/10);
  for (int i = 0; i < 9; ++i) {
    p50.Record(absl::Milliseconds(20), At(absl::ZeroDuration()));
  }
  EXPECT_EQ(p50.Get(At(absl::Seconds(1))), absl::InfiniteDuration());
  p50.Record(absl::Milliseconds(20), At(absl::Seconds(1)));
  ExpectNear(p50.Get(At(absl::Seconds(2))), absl::Milliseconds(20));
}

TEST(RecentQuantileTest, CountsUpTenTimesASecondAtMost) {
  RecentQuantile p50(0.5, /*least=*/1);
  p50.Record(absl::Milliseconds(20), At(absl::ZeroDuration()));
  ExpectNear(p50.Get(At(absl::ZeroDuration())), absl::Milliseconds(20));
  for (int i = 0; i < 9; ++i) {
    p50.Record(absl::Milliseconds(70), At(absl::ZeroDuration()));
  }
  ExpectNear(p50.Get(At(absl::Milliseconds(99))), absl::Milliseconds(20));
  ExpectNear(p50.Get(At(absl::Milliseconds(100))), absl::Milliseconds(70));
}

TEST(RecentQuantileTest, ForgetsWhatItsSketchForgets) {
  RecentQuantile p50(0.5, /*least=*/1);
  p50.Record(absl::Milliseconds(20), At(absl::ZeroDuration()));
  EXPECT_EQ(p50.Get(At(absl::Hours(1))), absl::InfiniteDuration());
}

TEST(RecentQuantileTest, MayBeAskedByManyThreads) {
  RecentQuantile p50(0.5, /*least=*/1);
  p50.Record(absl::Milliseconds(20), At(absl::ZeroDuration()));
  p50.Get(At(absl::ZeroDuration()));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&p50] {
      for (int i = 0; i < 1000; ++i) {
        const absl::Time now = At(absl::Milliseconds(i * 10));
        p50.Record(absl::Milliseconds(20), now);
        ExpectNear(p50.Get(now), absl::Milliseconds(20));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace forbear
