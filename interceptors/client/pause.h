// A wait that ends at an instant, when it is cancelled, or when the server call
// that it is made for ends; whichever is first. It holds no thread.
//
// Not part of the library's API.
//
// Thread-safety: Cancel() from any thread while the pause exists, before it is
//                started, too.
// Units:         instants of SteadyNow().
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_PAUSE_H_
#define FORBEAR_INTERCEPTORS_CLIENT_PAUSE_H_

#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/time/time.h"
#include "interceptors/client/parent.h"
#include "interceptors/context/in_flight.h"

namespace forbear {

class Pause {
 public:
  // `done(parent_gone)` runs once, on one of gRPC's threads. It may destroy the
  // pause; until then its owner must hold `channel`, too. Once.
  void Start(absl::Time wake_at,
             const std::shared_ptr<grpc::ChannelInterface>& channel,
             const std::string& method, const Parent& parent,
             std::function<void(bool parent_gone)> done);

  void Cancel();

 private:
  void AlarmFired();
  void WatchEnded(std::unique_ptr<ParentWatch> watch);
  void PartEnded(std::unique_lock<std::mutex> lock);

  const InFlight counted_{InFlight::kAlarm};
  std::function<void(bool)> done_;
  std::mutex mutex_;
  grpc::Alarm alarm_;
  ParentWatch* watch_ = nullptr;  // Until it has ended.
  bool alarm_set_ = false;
  bool cancelled_ = false;
  bool fired_ = false;
  bool parent_gone_ = false;
  int parts_ = 1;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_PAUSE_H_
