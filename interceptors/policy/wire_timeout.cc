#include "interceptors/policy/wire_timeout.h"

namespace forbear {
namespace {

// What gRPC's encoder leaves as it is, whatever else it rounds up: below each
// bound, whole multiples of the step. (From 60,000 s it may choose minutes,
// and has three digits for them: 60,300 s would leave as 60,600 s.)
struct Step {
  absl::Duration below;
  absl::Duration step;
};
constexpr Step kSteps[] = {
    {absl::Seconds(1), absl::Milliseconds(1)},
    {absl::Seconds(10), absl::Milliseconds(10)},
    {absl::Seconds(100), absl::Milliseconds(100)},
    {absl::Seconds(1'000), absl::Seconds(1)},
    {absl::Seconds(10'000), absl::Seconds(10)},
    {absl::Seconds(60'000), absl::Seconds(100)},
    {absl::Minutes(10'000), absl::Minutes(10)},
    {absl::Minutes(100'000), absl::Minutes(100)},
    {absl::InfiniteDuration(), absl::Hours(1)},
};

}  // namespace

absl::Duration RoundDownToWire(absl::Duration time) {
  if (time <= absl::ZeroDuration()) return absl::ZeroDuration();
  for (const Step& step : kSteps) {
    if (time < step.below) return absl::Trunc(time, step.step);
  }
  return time;
}

}  // namespace forbear
