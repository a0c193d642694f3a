// Hands orders without a courier to dispatch once more, all of them within a
// window.
//
//   Sweeper sweeper(gateway);
//   absl::StatusOr<Swept> swept = sweeper.Sweep(absl::Minutes(10),
//                                               /*window=*/absl::Minutes(5));
//
// Thread-safety: used by one thread, which Sweep() blocks.
// Units:         absl::Duration; orders.
// Errors:        that of the gateway, where it cannot list its orders. An order
//                that could not be handed over is left for the next sweep.
#ifndef FORBEAR_EXAMPLES_SWEEP_SWEEPER_H_
#define FORBEAR_EXAMPLES_SWEEP_SWEEPER_H_

#include <grpcpp/support/status.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/shop.grpc.pb.h"

namespace shop {

struct Swept {
  int found = 0;     // Without a courier.
  int assigned = 0;  // With one now.
};

class Sweeper {
 public:
  explicit Sweeper(const std::shared_ptr<grpc::ChannelInterface>& gateway)
      : gateway_(Gateway::NewStub(gateway)) {}

  // Of the orders placed within `placed_within`. A window of 0 is all at once.
  absl::StatusOr<Swept> Sweep(absl::Duration placed_within,
                              absl::Duration window);

 private:
  struct Order;

  absl::StatusOr<ListOrdersReply> Unassigned(absl::Duration placed_within);
  void Reenqueue(Order* order);
  int AwaitAll();

  const std::unique_ptr<Gateway::Stub> gateway_;
  std::mutex mutex_;  // Guards all below.
  std::condition_variable idle_;
  int under_way_ = 0;
  int assigned_ = 0;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SWEEP_SWEEPER_H_
