// Lets go of a channel on a thread that may be the last to hold it.
//
// gRPC's callback threads may not: the last reference to a channel shuts down
// the queue that they serve, and waits for them.
//
// Not part of the library's API.
//
// Thread-safety: safe for concurrent use.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_DROP_CHANNEL_H_
#define FORBEAR_INTERCEPTORS_CLIENT_DROP_CHANNEL_H_

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/impl/channel_interface.h>

#include <memory>
#include <utility>

namespace forbear {

inline void DropElsewhere(std::shared_ptr<grpc::ChannelInterface> channel) {
  auto* const alarm = new grpc::Alarm;
  alarm->Set(gpr_inf_past(GPR_CLOCK_MONOTONIC),
             [alarm, channel = std::move(channel)](bool) mutable {
               channel.reset();
               delete alarm;
             });
}

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_DROP_CHANNEL_H_
