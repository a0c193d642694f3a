#include "examples/shop/by_hand.h"

#include <algorithm>

#include "absl/time/clock.h"
#include "examples/shop/from_now.h"

namespace shop {

grpc::Status TryByHand(
    int tries, absl::Duration timeout,
    const std::function<grpc::Status(grpc::ClientContext*, bool last)>& call) {
  for (int tried = 1;; ++tried) {
    grpc::ClientContext context;
    context.set_deadline(FromNow(timeout));
    const grpc::Status status = call(&context, /*last=*/tried >= tries);
    if (status.ok() || tried >= tries) return status;
    absl::SleepFor(WaitByHand(tried));
  }
}

absl::Duration WaitByHand(int tries_made) {
  return absl::Milliseconds(10 << std::min(tries_made - 1, 16));
}

}  // namespace shop
