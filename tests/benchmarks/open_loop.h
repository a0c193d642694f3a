// Calls that come whether or not those before them have been answered.
//
//   OpenLoop load(address, per_second, timeout, seed);
//   load.Run(absl::Seconds(1), absl::Seconds(4));
//   load.good()
#ifndef FORBEAR_TESTS_BENCHMARKS_OPEN_LOOP_H_
#define FORBEAR_TESTS_BENCHMARKS_OPEN_LOOP_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "proto/testing/probe.grpc.pb.h"

namespace forbear {
namespace benchmarks {

class OpenLoop {
 public:
  // `connections` are used in turn. Gaps between calls are exponential.
  OpenLoop(const std::string& address, int connections, double per_second,
           absl::Duration timeout, uint64_t seed);
  ~OpenLoop();

  // Returns when all calls have ended.
  void Run(absl::Duration warm_up, absl::Duration measured);

  // Calls that were sent while measuring and answered OK, and after how long.
  int64_t good() const;
  // All that were answered OK, those of the warm-up as well.
  int64_t answered() const { return answered_; }
  absl::Duration Percentile(double share) const;

 private:
  struct Call;
  void Send(bool measured);
  void Ended(Call* call, bool ok);

  const double per_second_;
  const absl::Duration timeout_;
  uint64_t seed_;
  std::vector<std::unique_ptr<testing::Probe::Stub>> stubs_;
  size_t next_stub_ = 0;
  std::atomic<int64_t> in_flight_{0};
  // OK answers, whenever they were asked for.
  std::atomic<int64_t> answered_{0};
  mutable std::mutex mutex_;
  std::vector<absl::Duration> good_;
};

}  // namespace benchmarks
}  // namespace forbear

#endif  // FORBEAR_TESTS_BENCHMARKS_OPEN_LOOP_H_
