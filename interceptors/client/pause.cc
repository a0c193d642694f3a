#include "interceptors/client/pause.h"

#include <utility>

#include "interceptors/client/grpc_time.h"
#include "interceptors/context/clock.h"

namespace forbear {

void Pause::Start(absl::Time wake_at,
                  const std::shared_ptr<grpc::ChannelInterface>& channel,
                  const std::string& method, const Parent& parent,
                  std::function<void(bool)> done) {
  std::lock_guard<std::mutex> lock(mutex_);
  done_ = std::move(done);
  if (parent) {
    parts_ = 2;
    watch_ = ParentWatch::Start(channel, method, parent,
                                [this](std::unique_ptr<ParentWatch> watch) {
                                  WatchEnded(std::move(watch));
                                });
  }
  alarm_set_ = true;
  alarm_.Set(ToGrpc(cancelled_ ? SteadyNow() : wake_at),
             [this](bool) { AlarmFired(); });
}

void Pause::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (alarm_set_ && !fired_) alarm_.Cancel();
}

void Pause::AlarmFired() {
  std::unique_lock<std::mutex> lock(mutex_);
  fired_ = true;
  if (watch_ != nullptr) watch_->Stop();
  PartEnded(std::move(lock));
}

void Pause::WatchEnded(std::unique_ptr<ParentWatch> watch) {
  std::unique_lock<std::mutex> lock(mutex_);
  watch_ = nullptr;  // Until here the alarm may have stopped it.
  watch.reset();
  if (!fired_) {
    parent_gone_ = true;
    alarm_.Cancel();
  }
  PartEnded(std::move(lock));
}

void Pause::PartEnded(std::unique_lock<std::mutex> lock) {
  if (--parts_ > 0) return;
  const std::function<void(bool)> done = std::move(done_);
  const bool parent_gone = parent_gone_;
  lock.unlock();
  done(parent_gone);
}

}  // namespace forbear
