// Makes routes fail, and asks the shop's servers what they counted.
//
//   Admin admin(shop);
//   absl::Status status = admin.SetFault(shop::FAULT_HANGING, 0);
//   absl::StatusOr<ShopCounts> counts = admin.Count();
//
// Thread-safety: safe for concurrent use; a call blocks for 5 s at most.
// Units:         see shop_admin.proto.
// Errors:        a Status that names the server that did not answer.
#ifndef FORBEAR_EXAMPLES_STORM_ADMIN_H_
#define FORBEAR_EXAMPLES_STORM_ADMIN_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "examples/storm/shop_counts.h"
#include "examples/storm/shop_processes.h"
#include "proto/shop.grpc.pb.h"
#include "proto/shop_admin.grpc.pb.h"

namespace storm {

class Admin {
 public:
  explicit Admin(const ShopProcesses& shop);

  // Returns what routes had counted by then.
  absl::StatusOr<shop::Counts> SetFault(shop::Fault fault,
                                        int admitted_per_second);

  absl::StatusOr<ShopCounts> Count();
  absl::StatusOr<shop::Counts> Routes();

  // Payments is about to be killed: what it has counted is kept here.
  absl::Status KeepCountsOfPayments();

  absl::StatusOr<std::vector<shop::PlacedOrder>> Orders();
  absl::StatusOr<std::vector<shop::Charge>> Charges();

 private:
  struct Server {
    std::string name;
    std::unique_ptr<shop::Counters::Stub> counters;
  };

  absl::StatusOr<shop::Counts> Read(const Server& server);

  const std::unique_ptr<shop::Faults::Stub> faults_;
  const std::unique_ptr<shop::Gateway::Stub> orders_;
  const std::unique_ptr<shop::Payments::Stub> charges_;
  const Server routes_;
  const Server payments_;
  const Server dispatch_;
  const Server gateway_;
  std::mutex mutex_;  // Guards what follows.
  std::vector<shop::Counts> payments_before_;
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_ADMIN_H_
