// What the bucket promises when many threads use it at once. Nothing here
// depends on how the threads are scheduled.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/policy/retry_budget.h"

namespace forbear {
namespace {

constexpr absl::Time kStart = absl::UnixEpoch();
constexpr int kThreads = 8;

// Runs `what` on all threads, as close to at once as can be.
void Race(const std::function<void(int thread)>& what) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      what(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

RetryBudgetOptions Plain(double ceiling) {
  RetryBudgetOptions options;
  options.ceiling = ceiling;
  options.burst_window = absl::ZeroDuration();
  options.floor = 0;
  return options;
}

TEST(RetryBudgetThreadsTest, GiveTheLastRetryToExactlyOne) {
  for (int round = 0; round < 100; ++round) {
    RetryBudget budget(Plain(1), kStart);
    std::atomic<int> yes{0};
    Race([&](int) { yes += budget.TrySpend(kStart) ? 1 : 0; });
    ASSERT_EQ(yes, 1);
    ASSERT_EQ(budget.Balance(kStart), 0);
  }
}

TEST(RetryBudgetThreadsTest, GiveTheLastRetryOfTwoBucketsToExactlyOne) {
  for (int round = 0; round < 100; ++round) {
    RetryBudget target(Plain(kThreads), kStart);
    RetryBudget process(Plain(1), kStart);
    const RetryBudgets both = {&target, &process};
    std::atomic<int> yes{0};
    Race([&](int) { yes += both.TrySpend(kStart) ? 1 : 0; });
    ASSERT_EQ(yes, 1);
    ASSERT_EQ(target.Balance(kStart), kThreads - 1);
    ASSERT_EQ(process.Balance(kStart), 0);
  }
}

TEST(RetryBudgetThreadsTest, GiveTheRetryThatTimeRefilledToExactlyOne) {
  RetryBudgetOptions options = Plain(1);
  options.floor = 0.1;
  for (int round = 0; round < 100; ++round) {
    RetryBudget budget(options, kStart);
    ASSERT_TRUE(budget.TrySpend(kStart));
    const absl::Time later = kStart + absl::Seconds(10);
    std::atomic<int> yes{0};
    Race([&](int) { yes += budget.TrySpend(later) ? 1 : 0; });
    ASSERT_EQ(yes, 1);
  }
}

// 1 retry a millisecond, wanted by all threads at once, in step: what time gave
// is spent or still there, once.
TEST(RetryBudgetThreadsTest, GiveWhatTimeRefilledOnce) {
  RetryBudgetOptions options = Plain(1000);
  options.floor = 1000;
  RetryBudget budget(options, kStart);
  while (budget.TrySpend(kStart)) continue;
  constexpr int kMillis = 2'000;
  std::atomic<int> spent{0};
  std::atomic<int> steps{0};
  Race([&](int) {
    for (int ms = 1; ms <= kMillis; ++ms) {
      ++steps;
      while (steps < ms * kThreads) std::this_thread::yield();
      spent += budget.TrySpend(kStart + absl::Milliseconds(ms)) ? 1 : 0;
    }
  });
  EXPECT_EQ(budget.Balance(kStart + absl::Milliseconds(kMillis)) + spent,
            kMillis);
}

TEST(RetryBudgetThreadsTest, LoseNoEarningAndNoSpending) {
  RetryBudgetOptions options = Plain(1000);
  options.ratio = 0.007;
  RetryBudget budget(options, kStart);
  while (budget.TrySpend(kStart)) continue;
  constexpr int kCalls = 5000;
  std::atomic<int> spent{0};
  Race([&](int) {
    for (int i = 0; i < kCalls; ++i) {
      budget.CallStarted(kStart);
      if (i % 10 == 0) spent += budget.TrySpend(kStart) ? 1 : 0;
    }
  });
  EXPECT_DOUBLE_EQ(budget.Balance(kStart) + spent, kThreads * kCalls * 0.007);
}

TEST(RetryBudgetThreadsTest, LoseNoEarningOfABurst) {
  RetryBudgetOptions options;
  options.ratio = 0.007;
  RetryBudget budget(options, kStart);
  constexpr int kCalls = 5000;
  Race([&](int thread) {
    // Out of order by up to seven slots, as `now` may be between threads.
    const absl::Time now = kStart + thread * absl::Milliseconds(125);
    for (int i = 0; i < kCalls; ++i) budget.CallStarted(now);
  });
  const absl::Time last = kStart + absl::Milliseconds(999);
  EXPECT_DOUBLE_EQ(budget.Capacity(last), kThreads * kCalls * 0.007);
  EXPECT_DOUBLE_EQ(budget.Balance(last), kThreads * kCalls * 0.007);
}

TEST(RetryBudgetThreadsTest, NeverSeeLessThanNothingOrMoreThanItHolds) {
  RetryBudgetOptions options;
  options.burst_window = absl::Milliseconds(80);
  options.ceiling = 3;
  options.floor = 1;
  RetryBudget budget(options, kStart);
  std::atomic<int> wrong{0};
  Race([&](int thread) {
    for (int i = 0; i < 5000; ++i) {
      // Forward, with steps back that differ from thread to thread.
      const absl::Time now =
          kStart + absl::Milliseconds(i - (i * (thread + 3)) % 50);
      if (i % 3 == 0) budget.CallStarted(now);
      if (budget.TrySpend(now) && i % 2 == 0) budget.Refund();
      const double balance = budget.Balance(now);
      // All that is earned in a window is less than this.
      if (balance < 0 || balance > 3 + kThreads * 130 * 0.1) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(RetryBudgetThreadsTest, CountEveryTokenOfAThrottle) {
  RetryBudgetOptions options;
  options.rule = RetryBudgetOptions::Rule::kThrottle;
  options.max_tokens = 1000;
  options.token_ratio = 0.01;
  RetryBudget budget(options, kStart);
  Race([&](int) {
    for (int i = 0; i < 100; ++i) budget.AttemptFailed();
  });
  EXPECT_EQ(budget.Balance(kStart), 1000 - 100 * kThreads);
  Race([&](int) {
    for (int i = 0; i < 100; ++i) budget.AttemptSucceeded();
  });
  EXPECT_EQ(budget.Balance(kStart), 1000 - 99 * kThreads);
}

}  // namespace
}  // namespace forbear
