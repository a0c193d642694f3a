#include "interceptors/telemetry/latency_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/testing/split_mix64.h"

namespace forbear {
namespace {

constexpr absl::Duration kWindow = absl::Seconds(30);

absl::Time At(absl::Duration since) { return absl::UnixEpoch() + since; }

// The k-th smallest, k = ceil(fraction x n).
absl::Duration Exact(std::vector<absl::Duration> all, double fraction) {
  std::sort(all.begin(), all.end());
  const double wanted = std::ceil(fraction * static_cast<double>(all.size()));
  return all[static_cast<size_t>(std::max(wanted, 1.0)) - 1];
}

// How far off a quantile is, as a part of the exact one.
double Error(absl::Duration sketched, absl::Duration exact) {
  return std::abs(absl::FDivDuration(sketched - exact, exact));
}

// From a draw, uniform in (0, 1).
using Distribution = std::function<absl::Duration(double)>;

struct Named {
  std::string name;
  Distribution draw;
};

const Named kDistributions[] = {
    {"constant", [](double) { return absl::Milliseconds(37); }},
    {"uniform", [](double u) { return absl::Seconds(u); }},
    {"exponential",
     [](double u) { return absl::Milliseconds(-20 * std::log(u)); }},
    {"log-logistic",
     [](double u) {
       return absl::Milliseconds(5 * std::pow(u / (1 - u), 0.8));
     }},
    {"heavy tail", [](double u) { return absl::Microseconds(50 / u); }},
    {"two modes",
     [](double u) {
       return u < 0.95 ? absl::Microseconds(800 + 400 * u)
                       : absl::Milliseconds(300 + 1000 * (u - 0.95));
     }},
    {"the whole range",
     [](double u) { return absl::Nanoseconds(1000 * std::pow(3.6e9, u)); }},
};

TEST(LatencySketchTest, IsWithinItsBoundForEveryDistributionAndQuantile) {
  for (const Named& distribution : kDistributions) {
    SplitMix64 chance(7);
    LatencySketch sketch(kWindow);
    std::vector<absl::Duration> all;
    for (int i = 0; i < 20'000; ++i) {
      const double u = (static_cast<double>(chance() >> 12) + 0.5) /
                       static_cast<double>(uint64_t{1} << 52);
      all.push_back(std::clamp(distribution.draw(u), absl::Microseconds(1),
                               absl::Hours(1)));
      sketch.Record(all.back(), At(absl::ZeroDuration()));
    }
    for (const double fraction :
         {0.0, 0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0}) {
      const std::optional<absl::Duration> sketched =
          sketch.Quantile(fraction, At(absl::ZeroDuration()));
      ASSERT_TRUE(sketched.has_value());
      EXPECT_LE(Error(*sketched, Exact(all, fraction)),
                LatencySketch::kRelativeError)
          << distribution.name << " at " << fraction;
    }
  }
}

TEST(LatencySketchTest, PromisesLessThanOnePerCent) {
  EXPECT_LT(LatencySketch::kRelativeError, 0.01);
}

TEST(LatencySketchTest, IsWithinItsBoundOnBothSidesOfEveryBucketsEdge) {
  for (int power = 10; power <= 41; ++power) {
    for (int part = 0; part < 64; ++part) {
      const int64_t edge = (int64_t{64} + part) << (power - 6);
      for (const int64_t nanos : {edge - 1, edge, edge + 1}) {
        if (nanos > 3'600'000'000'000) continue;
        LatencySketch sketch(kWindow);
        const absl::Duration latency = absl::Nanoseconds(nanos);
        sketch.Record(latency, At(absl::ZeroDuration()));
        EXPECT_LE(Error(*sketch.Quantile(1, At(absl::ZeroDuration())), latency),
                  LatencySketch::kRelativeError)
            << latency;
      }
    }
  }
}

TEST(LatencySketchTest, TakesWhatIsOutOfItsRangeForTheRangesEnd) {
  const struct {
    absl::Duration latency;
    absl::Duration taken_for;
  } kCases[] = {
      {absl::Nanoseconds(999), absl::Microseconds(1)},
      {absl::ZeroDuration(), absl::Microseconds(1)},
      {-absl::Seconds(1), absl::Microseconds(1)},
      {-absl::InfiniteDuration(), absl::Microseconds(1)},
      {absl::Hours(2), absl::Hours(1)},
      {absl::InfiniteDuration(), absl::Hours(1)},
  };
  for (const auto& c : kCases) {
    LatencySketch sketch(kWindow);
    sketch.Record(c.latency, At(absl::ZeroDuration()));
    EXPECT_LE(
        Error(*sketch.Quantile(0.5, At(absl::ZeroDuration())), c.taken_for),
        LatencySketch::kRelativeError)
        << c.latency;
  }
}

TEST(LatencySketchTest, SaysNothingOfTooLittle) {
  LatencySketch sketch(kWindow);
  const absl::Time now = At(absl::ZeroDuration());
  EXPECT_EQ(sketch.Quantile(0.5, now), std::nullopt);
  for (int i = 0; i < 99; ++i) sketch.Record(absl::Milliseconds(1), now);
  EXPECT_EQ(sketch.Quantile(0.5, now, /*least=*/100), std::nullopt);
  EXPECT_NE(sketch.Quantile(0.5, now, /*least=*/99), std::nullopt);
  sketch.Record(absl::Milliseconds(1), now);
  EXPECT_NE(sketch.Quantile(0.5, now, /*least=*/100), std::nullopt);
}

TEST(LatencySketchTest, ForgetsWhatIsOlderThanTheWindowBefore) {
  LatencySketch sketch(kWindow);
  sketch.Record(absl::Milliseconds(1), At(absl::Seconds(29)));
  sketch.Record(absl::Milliseconds(2), At(absl::Seconds(31)));
  EXPECT_EQ(sketch.Count(At(absl::Seconds(31))), 2);
  EXPECT_EQ(sketch.Count(At(absl::Seconds(59))), 2);
  EXPECT_EQ(sketch.Count(At(absl::Seconds(60))), 1);  // Without a measurement.
  sketch.Record(absl::Milliseconds(3), At(absl::Seconds(60)));
  EXPECT_EQ(sketch.Count(At(absl::Seconds(60))), 2);
  EXPECT_LE(
      Error(*sketch.Quantile(0, At(absl::Seconds(60))), absl::Milliseconds(2)),
      LatencySketch::kRelativeError);
  EXPECT_EQ(sketch.Count(At(absl::Hours(5))), 0);
}

TEST(LatencySketchTest, LeavesOutAMeasurementThatComesTooLate) {
  LatencySketch sketch(kWindow);
  sketch.Record(absl::Milliseconds(1), At(absl::Seconds(61)));
  sketch.Record(absl::Milliseconds(2), At(absl::Seconds(31)));
  EXPECT_EQ(sketch.Count(At(absl::Seconds(61))), 2);  // Of the window before.
  sketch.Record(absl::Milliseconds(3), At(absl::Seconds(29)));
  EXPECT_EQ(sketch.Count(At(absl::Seconds(61))), 2);
}

TEST(LatencySketchTest, TakesSixteenKibibytesAndNoMore) {
  EXPECT_LE(sizeof(LatencySketch), 16 * 1024 + 64);
}

TEST(LatencySketchTest, CountsEveryMeasurementOfManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kEach = 20'000;
  LatencySketch sketch(kWindow);
  const absl::Time now = At(absl::ZeroDuration());
  sketch.Record(absl::Milliseconds(1), now);  // The window is there.
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&sketch, now, t] {
      for (int i = 0; i < kEach; ++i) {
        sketch.Record(absl::Microseconds(100 * (t + 1)), now);
        if (i % 1000 == 0) sketch.Quantile(0.5, now);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sketch.Count(now), kThreads * kEach + 1);
}

// While windows turn over: what counts is no more than what was measured in two
// of them, and one that each thread may have been late with.
TEST(LatencySketchTest, TurnsItsWindowsOverUnderManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kWindows = 200;
  constexpr int kEach = 50;
  LatencySketch sketch(kWindow);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&sketch, &wrong] {
      for (int w = 0; w < kWindows; ++w) {
        const absl::Time now = At(w * kWindow);
        for (int i = 0; i < kEach; ++i) {
          sketch.Record(absl::Milliseconds(5), now);
        }
        const auto median = sketch.Quantile(0.5, now);
        if (median.has_value() && Error(*median, absl::Milliseconds(5)) >
                                      LatencySketch::kRelativeError) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const absl::Time last = At((kWindows - 1) * kWindow);
  EXPECT_LE(sketch.Count(last), 2 * kThreads * kEach + kThreads);
  EXPECT_GE(sketch.Count(last), kEach);
}

}  // namespace
}  // namespace forbear
