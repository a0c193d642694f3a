// An observer that writes down what it is told, one line an event.
#ifndef FORBEAR_TESTS_CLIENT_RECORDER_H_
#define FORBEAR_TESTS_CLIENT_RECORDER_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interceptors/telemetry/observer.h"

namespace forbear {
namespace testing {

class Recorder final : public Observer {
 public:
  void CallStarted(const CallStart&) override { Add("call started"); }
  void AttemptStarted(const AttemptStart& event) override {
    Add(absl::StrCat("attempt ", event.attempt, " started",
                     event.hedge ? " beside others" : ""));
    std::lock_guard<std::mutex> lock(mutex_);
    ++attempts_;
    changed_.notify_all();
  }
  void AttemptEnded(const AttemptFinish& event) override {
    Add(absl::StrCat("attempt ", event.attempt, " ended ", Name(event.code)));
  }
  void WaitScheduled(const Wait& event) override {
    Add(absl::StrCat("wait before attempt ", event.next_attempt));
    std::lock_guard<std::mutex> lock(mutex_);
    ++waits_;
    changed_.notify_all();
  }
  void RetryRefused(const Refusal& event) override {
    Add(absl::StrCat("refused ", VerdictName(event.gate)));
  }
  void CallEnded(const CallFinish& event) override {
    Add(absl::StrCat("call ended ", Name(event.code), " after ", event.attempts,
                     ", ", VerdictName(event.verdict)));
  }

  std::vector<std::string> events() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return events_;
  }
  void AwaitAttempts(int count) const {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return attempts_ >= count; });
  }
  int waits() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return waits_;
  }
  void AwaitWaits(int count) const {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return waits_ >= count; });
  }

 private:
  static std::string Name(absl::StatusCode code) {
    return absl::StatusCodeToString(code);
  }
  void Add(std::string event) {
    std::lock_guard<std::mutex> lock(mutex_);
    events_.push_back(std::move(event));
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<std::string> events_;
  int attempts_ = 0;
  int waits_ = 0;
};

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_CLIENT_RECORDER_H_
