// The shop's servers, each a process on a free port of this machine, and the
// Redis in which payments keeps its charges.
//
//   auto shop = ShopProcesses::Start(find, {Manner::kForbear});
//   auto channel = grpc::CreateChannel((*shop)->gateway(), credentials);
//
// Thread-safety: used by one thread.
// Units:         none.
// Errors:        a Status that names the server that did not start. Destruction
//                ends them all.
#ifndef FORBEAR_EXAMPLES_STORM_SHOP_PROCESSES_H_
#define FORBEAR_EXAMPLES_STORM_SHOP_PROCESSES_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "examples/shop/manner.h"
#include "examples/storm/child_process.h"
#include "examples/storm/redis_process.h"

namespace storm {

using shop::Manner;

struct ShopOptions {
  Manner manner = Manner::kForbear;
  std::string policy;  // A file, for dispatch's calls of routes; or empty.
};

class ShopProcesses {
 public:
  // Tells where a program is: "routes" and so on.
  using Find = std::function<std::string(const std::string&)>;

  static absl::StatusOr<std::unique_ptr<ShopProcesses>> Start(
      const Find& find, const ShopOptions& options);
  ~ShopProcesses();

  // Where they listen: "127.0.0.1:port".
  const std::string& routes() const { return addresses_.at("routes"); }
  const std::string& payments() const { return addresses_.at("payments"); }
  const std::string& dispatch() const { return addresses_.at("dispatch"); }
  const std::string& gateway() const { return addresses_.at("gateway"); }

  // Kills payments, with whatever it is doing, and starts it anew where it was.
  // Does not wait until it listens.
  absl::Status KillAndRestartPayments();
  // Waits until it does.
  absl::Status AwaitPayments();

  // Starts the sweep, spread over `window`. It prints a line and ends.
  absl::StatusOr<std::unique_ptr<ChildProcess>> Sweep(absl::Duration window);

 private:
  ShopProcesses(Find find, ShopOptions options);

  std::vector<std::string> Arguments(const std::string& name,
                                     const std::string& port) const;
  absl::Status StartServer(const std::string& name, const std::string& port);
  absl::Status AwaitServer(const std::string& name);

  const Find find_;
  const ShopOptions options_;
  std::unique_ptr<RedisProcess> redis_;
  std::map<std::string, std::unique_ptr<ChildProcess>> servers_;
  std::map<std::string, std::string> addresses_;
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_SHOP_PROCESSES_H_
