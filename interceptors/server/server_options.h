// What a server's guard does, and when.
//
//   ServerOptions options;
//   options.minimum_time_left = absl::Milliseconds(5);
//   options.observer = std::make_shared<MyMetrics>();
//   ServerGuard guard(options);
//
// Thread-safety: a value; const members may be called concurrently.
// Units:         absl::Duration throughout; ranges beside each field.
// Errors:        Validate() gives INVALID_ARGUMENT that names the field, the
//                range and the value given.
#ifndef FORBEAR_INTERCEPTORS_SERVER_SERVER_OPTIONS_H_
#define FORBEAR_INTERCEPTORS_SERVER_SERVER_OPTIONS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/telemetry/observer.h"

namespace forbear {

struct ServerOptions {
  // kOff registers services as if there were no guard: no scope, no count.
  // kObserve counts the calls it would have refused and runs their handlers;
  // no answer says whether to retry.
  Mode mode = Mode::kEnforce;

  // A call that has less time left when it reaches its handler is doomed: it
  // is refused like an expired one. Range: [0, 1 h]; 0 refuses expired calls
  // only.
  absl::Duration minimum_time_left = absl::ZeroDuration();

  // Told of handlers entered, refused and ended. May be null.
  std::shared_ptr<Observer> observer;

  absl::Status Validate() const;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_SERVER_OPTIONS_H_
