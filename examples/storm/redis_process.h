// A redis-server of the storm's own, on a free port, which keeps nothing after
// it ends.
//
//   auto redis = RedisProcess::Start();
//   std::string address = (*redis)->address();   // "127.0.0.1:43210"
//
// Thread-safety: used by one thread.
// Units:         none.
// Errors:        NOT_FOUND where there is no redis-server on the PATH.
#ifndef FORBEAR_EXAMPLES_STORM_REDIS_PROCESS_H_
#define FORBEAR_EXAMPLES_STORM_REDIS_PROCESS_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "examples/storm/child_process.h"

namespace storm {

class RedisProcess {
 public:
  static absl::StatusOr<std::unique_ptr<RedisProcess>> Start();

  const std::string& address() const { return address_; }

 private:
  RedisProcess(std::unique_ptr<ChildProcess> process, std::string address)
      : process_(std::move(process)), address_(std::move(address)) {}

  const std::unique_ptr<ChildProcess> process_;
  const std::string address_;
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_REDIS_PROCESS_H_
