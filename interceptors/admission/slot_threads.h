// Threads for calls that start after a wait, when no thread is there for them.
//
// A thread is made when there is work and none is idle, so there are never more
// than ran at once; they stay until the end.
//
//   SlotThreads threads;
//   threads.Post([call] { call->Run(); });
//
// Thread-safety: safe for concurrent use. The destructor runs what was posted.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_ADMISSION_SLOT_THREADS_H_
#define FORBEAR_INTERCEPTORS_ADMISSION_SLOT_THREADS_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace forbear {

class SlotThreads {
 public:
  SlotThreads() = default;
  ~SlotThreads();
  SlotThreads(const SlotThreads&) = delete;
  SlotThreads& operator=(const SlotThreads&) = delete;

  void Post(std::function<void()> work);

 private:
  void Work();

  std::mutex mutex_;  // Guards all below.
  std::condition_variable changed_;
  std::deque<std::function<void()>> posted_;
  size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_ADMISSION_SLOT_THREADS_H_
