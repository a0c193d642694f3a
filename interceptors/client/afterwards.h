// What is decided under a mutex, and done after it is released.
//
//   Afterwards afterwards;
//   { lock; Decide(&afterwards); }
//   afterwards.Run();
//
// gRPC may run a stub's callbacks within the call that starts them, and a
// stub's last callback may destroy everything that belongs to its call. So what
// calls into gRPC or into a stub waits until nothing is held, and the things
// after which nothing may be touched come last.
//
// Not part of the library's API.
//
// Thread-safety: thread-compatible.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_AFTERWARDS_H_
#define FORBEAR_INTERCEPTORS_CLIENT_AFTERWARDS_H_

#include <functional>
#include <utility>
#include <vector>

namespace forbear {

class Afterwards {
 public:
  void Add(std::function<void()> step) { steps_.push_back(std::move(step)); }
  // After all others: the call may be gone when they have run.
  void AddLast(std::function<void()> step) { last_.push_back(std::move(step)); }

  void Run() {
    for (const std::function<void()>& step : steps_) step();
    for (const std::function<void()>& step : last_) step();
  }

 private:
  std::vector<std::function<void()>> steps_;
  std::vector<std::function<void()>> last_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_AFTERWARDS_H_
