#include "tests/benchmarks/slot_backend.h"

#include <memory>

#include "interceptors/context/clock.h"

namespace forbear {
namespace benchmarks {

SlotBackend::SlotBackend(int slots, absl::Duration service)
    : service_(service), free_(slots), thread_([this] { Run(); }) {}

SlotBackend::~SlotBackend() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SlotBackend::Begin(absl::Time at, std::function<void()> done) {
  running_.emplace(
      at + service_,
      std::make_unique<std::function<void()>>(std::move(done)).release());
}

void SlotBackend::Work(std::function<void()> done) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (abandoned_) {
    lock.unlock();
    return done();
  }
  if (free_ == 0) return waiting_.push_back(std::move(done));
  --free_;
  Begin(SteadyNow(), std::move(done));
  changed_.notify_one();
}

void SlotBackend::WorkAndWait() {
  std::mutex mutex;
  std::condition_variable ended;
  bool over = false;
  Work([&] {
    std::lock_guard<std::mutex> lock(mutex);
    over = true;
    ended.notify_one();
  });
  std::unique_lock<std::mutex> lock(mutex);
  ended.wait(lock, [&] { return over; });
}

void SlotBackend::Abandon() {
  std::deque<std::function<void()>> waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    abandoned_ = true;
    waiting.swap(waiting_);
  }
  for (const auto& done : waiting) done();
}

void SlotBackend::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_ || !running_.empty()) {
    if (running_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const absl::Time end = running_.top().first;
    const absl::Time now = SteadyNow();
    if (now < end) {
      changed_.wait_for(lock, absl::ToChronoNanoseconds(end - now));
      continue;
    }
    const std::unique_ptr<std::function<void()>> done(running_.top().second);
    running_.pop();
    if (waiting_.empty()) {
      ++free_;
    } else {
      Begin(end, std::move(waiting_.front()));
      waiting_.pop_front();
    }
    lock.unlock();
    (*done)();
    lock.lock();
  }
}

}  // namespace benchmarks
}  // namespace forbear
