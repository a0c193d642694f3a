// Deciding allocates nothing: it may be done on any call path.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/policy/policy_table.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/retry_call.h"
#include "interceptors/testing/split_mix64.h"

namespace {
int allocations = 0;
}  // namespace

void* operator new(size_t size) {
  ++allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace forbear {
namespace {

TEST(AllocationTest, IsNotNeededToDecide) {
  absl::Time now = absl::UnixEpoch();
  RetryBudget target(RetryBudgetOptions(), now);
  RetryBudget process(RetryBudgetOptions(), now);
  PolicyTable table;
  MethodPolicy estimate;
  estimate.repeatable = Repeatable::kYes;
  table.Set("shop.Routes/Estimate", estimate);
  table.Set("shop.Routes", estimate);
  AttemptEnd failed;
  failed.code = absl::StatusCode::kUnavailable;
  SplitMix64 chance(7);

  const int before = allocations;
  int attempts = 0;
  for (absl::string_view method :
       {"/shop.Routes/Estimate", "/shop.Routes/PlanARouteWithALongName",
        "/shop.Stock/Take"}) {
    RetryCall call(table.For(method), {&target, &process}, CallFacts());
    Step step =
        call.Start(now, now + absl::Seconds(60), absl::InfiniteFuture());
    while (!step.finished) {
      now = step.start ? now + absl::Milliseconds(5) : step.wake_at;
      step = step.start ? call.AttemptEnded(now, failed, chance)
                        : call.TimerFired(now);
    }
    attempts += call.attempts();
  }
  const int made = allocations - before;
  EXPECT_EQ(made, 0);
  EXPECT_EQ(attempts, 4 + 4 + 1);

  ::operator delete(::operator new(1));  // It does count.
  EXPECT_GT(allocations, before + made);
}

}  // namespace
}  // namespace forbear
