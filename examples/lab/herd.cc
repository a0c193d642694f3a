#include "examples/lab/herd.h"

#include <algorithm>
#include <deque>

#include "absl/status/status.h"
#include "interceptors/testing/manual_clock.h"
#include "interceptors/testing/simulated_call.h"
#include "interceptors/testing/split_mix64.h"

namespace lab {
namespace {

// Accepts the first calls of each window, and counts.
class Server {
 public:
  Server(const HerdPlan& plan, absl::Time start) : plan_(plan), start_(start) {}

  forbear::AttemptEnd Answer(absl::Time at) {
    ++figures_.calls;
    // Calls arrive in the order of time: one window is open at a time.
    const int64_t window = (at - start_) / plan_.window;
    if (window != window_) in_window_ = 0;
    window_ = window;
    ++in_window_;
    ++figures_.by_window[window];
    if (window > 0) figures_.busiest = std::max(figures_.busiest, in_window_);
    forbear::AttemptEnd end;
    if (in_window_ > plan_.accept) {
      ++figures_.refused;
      end.code = absl::StatusCode::kUnavailable;
    } else {
      figures_.finished = at - start_;
    }
    return end;
  }

  const HerdFigures& figures() const { return figures_; }

 private:
  const HerdPlan& plan_;
  const absl::Time start_;
  int64_t window_ = 0;
  int64_t in_window_ = 0;
  HerdFigures figures_;
};

// The mean of a sum in units of 1/scale, half up.
int64_t HalfUp(int64_t sum, int64_t runs, int64_t scale) {
  return (2 * scale * sum + runs) / (2 * runs);
}

}  // namespace

HerdFigures RunHerd(const HerdPlan& plan, forbear::Jitter jitter,
                    uint64_t seed) {
  forbear::ManualClock clock;
  forbear::SimulatedCall call;
  call.policy.max_attempts = forbear::MethodPolicy::kUnlimitedAttempts;
  call.policy.repeatable = forbear::Repeatable::kYes;
  call.policy.backoff.jitter = jitter;
  call.policy.backoff.initial = plan.base;
  call.policy.backoff.max = plan.cap;
  Server server(plan, clock.Now());
  std::deque<forbear::SplitMix64> chances;
  for (int client = 0; client < plan.clients; ++client) {
    call.rank = client;
    chances.emplace_back(seed * 1'000'003 + client);
    forbear::StartCall(
        clock, chances.back(), call,
        [&](const forbear::Arrival& arrival, const forbear::Answer& answer) {
          answer(server.Answer(arrival.at));
        },
        [](const forbear::CallTrace&) {});
  }
  clock.RunUntilIdle();
  return server.figures();
}

HerdMeans MeanHerd(const HerdPlan& plan, forbear::Jitter jitter) {
  HerdFigures sum;
  for (int seed = 1; seed <= plan.runs; ++seed) {
    const HerdFigures run = RunHerd(plan, jitter, seed);
    sum.calls += run.calls;
    sum.refused += run.refused;
    sum.busiest += run.busiest;
    sum.finished += run.finished;
  }
  HerdMeans means;
  means.calls_tenths = HalfUp(sum.calls, plan.runs, 10);
  means.refused_tenths = HalfUp(sum.refused, plan.runs, 10);
  means.busiest_tenths = HalfUp(sum.busiest, plan.runs, 10);
  means.finished = absl::Milliseconds(
      HalfUp(absl::ToInt64Milliseconds(sum.finished), plan.runs, 1));
  return means;
}

}  // namespace lab
