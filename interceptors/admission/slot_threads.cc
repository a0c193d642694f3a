#include "interceptors/admission/slot_threads.h"

#include <utility>

namespace forbear {

SlotThreads::~SlotThreads() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void SlotThreads::Post(std::function<void()> work) {
  std::lock_guard<std::mutex> lock(mutex_);
  posted_.push_back(std::move(work));
  if (posted_.size() > idle_) {
    threads_.emplace_back([this] { Work(); });
  } else {
    changed_.notify_one();
  }
}

void SlotThreads::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [this] { return stopping_ || !posted_.empty(); });
    --idle_;
    if (posted_.empty()) return;
    {
      const std::function<void()> work = std::move(posted_.front());
      posted_.pop_front();
      lock.unlock();
      work();
    }
    lock.lock();
  }
}

}  // namespace forbear
