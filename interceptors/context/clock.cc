#include "interceptors/context/clock.h"

#include <chrono>

namespace forbear {

absl::Time SteadyNow() {
  return absl::UnixEpoch() +
         absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace forbear
