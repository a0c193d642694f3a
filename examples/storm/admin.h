// Makes routes fail, and asks the shop's servers what they counted.
//
//   Admin admin(shop);
//   absl::StatusOr<shop::Counts> before = admin.SetFault(shop::FAULT_HANGING);
//
// Thread-safety: safe for concurrent use; a call blocks for 5 s at most.
// Units:         see shop_admin.proto.
// Errors:        a Status that names the server that did not answer.
#ifndef FORBEAR_EXAMPLES_STORM_ADMIN_H_
#define FORBEAR_EXAMPLES_STORM_ADMIN_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "examples/storm/shop_processes.h"
#include "proto/shop_admin.grpc.pb.h"

namespace storm {

class Admin {
 public:
  explicit Admin(const ShopProcesses& shop);

  // Returns what routes had counted by then.
  absl::StatusOr<shop::Counts> SetFault(shop::Fault fault);

  absl::StatusOr<shop::Counts> Routes();
  // Of all three servers.
  absl::StatusOr<int64_t> EnteredLate();

 private:
  struct Server {
    std::string name;
    std::unique_ptr<shop::Counters::Stub> counters;
  };

  absl::StatusOr<shop::Counts> Read(const Server& server);

  const std::unique_ptr<shop::Faults::Stub> faults_;
  const Server routes_;
  const Server dispatch_;
  const Server gateway_;
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_ADMIN_H_
