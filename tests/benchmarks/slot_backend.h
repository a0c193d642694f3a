// A resource that does so many things at once, each in the same time, in the
// order in which they come: a pool of database connections, a disk.
//
// A slot that ends takes the next piece of work at the instant it ends, however
// late its thread wakes: a resource that is always busy loses nothing.
#ifndef FORBEAR_TESTS_BENCHMARKS_SLOT_BACKEND_H_
#define FORBEAR_TESTS_BENCHMARKS_SLOT_BACKEND_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace forbear {
namespace benchmarks {

class SlotBackend {
 public:
  SlotBackend(int slots, absl::Duration service);
  // No work is left.
  ~SlotBackend();

  // Runs `done` on the backend's thread when the work is done.
  void Work(std::function<void()> done);
  void WorkAndWait();

  // What has not begun is done at once, and counts no more.
  void Abandon();

 private:
  using Running = std::pair<absl::Time, std::function<void()>*>;
  void Begin(absl::Time at, std::function<void()> done);
  void Run();

  const absl::Duration service_;
  std::mutex mutex_;  // Guards all below.
  std::condition_variable changed_;
  int free_;
  bool abandoned_ = false;
  bool stopping_ = false;
  std::deque<std::function<void()>> waiting_;
  std::priority_queue<Running, std::vector<Running>, std::greater<Running>>
      running_;
  std::thread thread_;
};

}  // namespace benchmarks
}  // namespace forbear

#endif  // FORBEAR_TESTS_BENCHMARKS_SLOT_BACKEND_H_
