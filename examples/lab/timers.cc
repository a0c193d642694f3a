#include "examples/lab/timers.h"

#include <algorithm>
#include <vector>

#include "interceptors/policy/spread.h"
#include "interceptors/testing/split_mix64.h"

namespace lab {
namespace {

constexpr uint64_t kSeed = 7;

// Counts by 100 ms.
class Tenths {
 public:
  explicit Tenths(absl::Duration length)
      : counts_(length / absl::Milliseconds(100) + 1) {}

  void Add(absl::Duration at, int count) {
    counts_[at / absl::Milliseconds(100)] += count;
  }
  int Busiest() const {
    return *std::max_element(counts_.begin(), counts_.end());
  }

 private:
  std::vector<int> counts_;
};

}  // namespace

int BusiestOfFleet(Timing timing) {
  Tenths tenths(kWatched);
  const absl::Time start = absl::UnixEpoch();
  for (int process = 0; process < kProcesses; ++process) {
    forbear::SplitMix64 chance(kSeed * 1'000'003 + process);
    const auto next = [&](absl::Time due) {
      return timing == Timing::kTogether
                 ? due + kPeriod
                 : forbear::JitteredPeriod(due, kPeriod, chance);
    };
    for (absl::Time due = next(start); due <= start + kWatched;
         due = next(due)) {
      tenths.Add(due - start, 1);
    }
  }
  return tenths.Busiest();
}

int BusiestOfSweep(Timing timing) {
  const bool spread = timing == Timing::kSpread;
  Tenths tenths(kSweep);
  forbear::SplitMix64 chance(kSeed);
  for (const forbear::Batch& batch :
       forbear::SpreadBatches(kOrders, spread ? kBatch : kOrders,
                              spread ? kSweep : absl::ZeroDuration(), chance)) {
    tenths.Add(batch.after, static_cast<int>(batch.end - batch.begin));
  }
  return tenths.Busiest();
}

}  // namespace lab
