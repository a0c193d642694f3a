#include "examples/shop/pause.h"

#include "absl/time/clock.h"

namespace shop {

void Pause(absl::Duration time) { absl::SleepFor(time); }

}  // namespace shop
