// The shop's servers, each a process on a free port of this machine.
//
//   auto shop = ShopProcesses::Start(binaries, Manner::kForbear);
//   auto channel = grpc::CreateChannel((*shop)->gateway(), credentials);
//
// Thread-safety: used by one thread.
// Units:         none.
// Errors:        a Status that names the server that did not start. Destruction
//                ends them all.
#ifndef FORBEAR_EXAMPLES_STORM_SHOP_PROCESSES_H_
#define FORBEAR_EXAMPLES_STORM_SHOP_PROCESSES_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "examples/storm/child_process.h"
#include "examples/storm/plan.h"

namespace storm {

class ShopProcesses {
 public:
  // `find` tells where a program is: "routes" and so on.
  static absl::StatusOr<std::unique_ptr<ShopProcesses>> Start(
      const std::function<std::string(const std::string&)>& find,
      Manner manner);
  ~ShopProcesses();

  // Where they listen: "127.0.0.1:port".
  const std::string& routes() const { return routes_; }
  const std::string& dispatch() const { return dispatch_; }
  const std::string& gateway() const { return gateway_; }

 private:
  ShopProcesses() = default;

  std::vector<std::unique_ptr<ChildProcess>> servers_;
  std::string routes_;
  std::string dispatch_;
  std::string gateway_;
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_SHOP_PROCESSES_H_
