// Runs what a callback thread of gRPC must not: whatever may be the last to
// hold a channel.
//
// The last reference to a channel shuts down the queue that these threads
// serve, and waits for them.
//
//   RunElsewhere([this] { delete this; });
//
// Not part of the library's API.
//
// Thread-safety: safe for concurrent use.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_ELSEWHERE_H_
#define FORBEAR_INTERCEPTORS_CLIENT_ELSEWHERE_H_

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>

#include <functional>
#include <utility>

namespace forbear {

inline void RunElsewhere(std::function<void()> what) {
  auto* const alarm = new grpc::Alarm;
  alarm->Set(gpr_inf_past(GPR_CLOCK_MONOTONIC),
             [alarm, what = std::move(what)](bool) {
               what();
               delete alarm;
             });
}

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_ELSEWHERE_H_
