// Does something again and again, on a thread of its own, until destroyed.
//
//   Every every(absl::Milliseconds(250), [&] { Look(); });
//
// Thread-safety: made and destroyed by one thread.
// Units:         absl::Duration, from the end of one time to the next.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_EVERY_H_
#define FORBEAR_EXAMPLES_STORM_EVERY_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/time/time.h"

namespace storm {

class Every {
 public:
  Every(absl::Duration period, std::function<void()> what)
      : period_(absl::ToChronoNanoseconds(period)),
        what_(std::move(what)),
        thread_([this] { Work(); }) {}
  ~Every() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Every(const Every&) = delete;
  Every& operator=(const Every&) = delete;

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!changed_.wait_for(lock, period_, [this] { return stopping_; })) {
      lock.unlock();
      what_();
      lock.lock();
    }
  }

  const std::chrono::nanoseconds period_;
  const std::function<void()> what_;
  std::mutex mutex_;  // Guards `stopping_`.
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_EVERY_H_
