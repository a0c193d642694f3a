// The customers: places orders at the gateway, each without waiting for
// another.
//
//   Driver driver(channel, Manner::kForbear);
//   driver.Place();
//   std::vector<OrderRecord> orders = driver.orders();
//
// By hand it tries four times, each time for 20 s, and takes a cached estimate
// from the last try only. With forbear it asks once, for as long as it waits.
//
// Thread-safety: safe for concurrent use; nothing blocks but the destructor,
//                which cancels what is in flight.
// Units:         instants of forbear::SteadyNow().
// Errors:        in the records: an order that failed is never answered.
#ifndef FORBEAR_EXAMPLES_STORM_DRIVER_H_
#define FORBEAR_EXAMPLES_STORM_DRIVER_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "examples/storm/order_record.h"
#include "examples/storm/plan.h"
#include "proto/shop.grpc.pb.h"

namespace storm {

class Driver {
 public:
  Driver(const std::shared_ptr<grpc::ChannelInterface>& gateway, Manner manner);
  ~Driver();

  void Place();

  std::vector<OrderRecord> orders() const;
  // Whether every order was answered, has failed, or is out of patience.
  bool Settled() const;

 private:
  struct Customer;

  void Ask(Customer* customer);
  void Answered(Customer* customer, const grpc::Status& status);
  // The lock is held.
  void WaitToAskAgain(Customer* customer);

  const std::unique_ptr<shop::Gateway::Stub> gateway_;
  const int tries_;
  const absl::Duration timeout_;
  mutable std::mutex mutex_;  // Guards all below.
  std::condition_variable idle_;
  std::vector<std::unique_ptr<Customer>> customers_;
  int waiting_ = 0;
  bool closed_ = false;
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_DRIVER_H_
