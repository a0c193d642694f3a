// The customers: places orders at the gateway, each without waiting for
// another.
//
//   Driver driver(shop.gateway(), Manner::kForbear);
//   driver.Place(/*sampled=*/false);
//   std::vector<OrderRecord> orders = driver.orders();
//
// By hand it tries four times, each time for 20 s, and takes a cached estimate
// from the last try only. Where deadlines are passed on, it tries for as long
// as it waits; where one layer retries, it asks once.
//
// Thread-safety: safe for concurrent use; nothing blocks but the destructor,
//                which cancels what is in flight.
// Units:         instants of forbear::SteadyNow().
// Errors:        in the records: an order that failed is never answered.
#ifndef FORBEAR_EXAMPLES_STORM_DRIVER_H_
#define FORBEAR_EXAMPLES_STORM_DRIVER_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "examples/shop/by_hand.h"
#include "examples/shop/manner.h"
#include "examples/storm/order_record.h"
#include "proto/shop.grpc.pb.h"

namespace storm {

class Driver {
 public:
  // `gateway`: its address.
  Driver(const std::string& gateway, shop::Manner manner);
  ~Driver();

  // The servers keep what they do for a sampled order, which has the number
  // that is returned.
  int64_t Place(bool sampled);

  std::vector<OrderRecord> orders() const;
  // Whether every order was answered, has failed, or is out of patience.
  bool Settled() const;

 private:
  struct Customer;

  void Ask(Customer* customer);
  void Answered(Customer* customer, const grpc::Status& status);
  // The lock is held.
  void AskAgainAfter(absl::Duration wait, Customer* customer);

  // The lock is held.
  absl::Duration TimeFor(const Customer& customer) const;
  bool MayAskAgain(const Customer& customer, absl::Duration wait);

  const shop::Manner manner_;
  const std::unique_ptr<shop::Gateway::Stub> gateway_;
  shop::ByHand by_hand_;
  mutable std::mutex mutex_;  // Guards all below.
  std::condition_variable idle_;
  std::vector<std::unique_ptr<Customer>> customers_;
  int waiting_ = 0;
  bool closed_ = false;
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_DRIVER_H_
