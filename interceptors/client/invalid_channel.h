// The channel that CreateChannel() gives for options that make no sense.
//
// Its calls fail at once and say which option is wrong: a wrong policy is never
// a crash. gRPC's lame channel does that, but whoever waits for it to change
// its state waits for ever, whatever the deadline (1.51.1); this one is shut
// down and says so.
//
//   if (!valid.ok()) return InvalidChannel(target, valid);
//
// Built with --define=forbear_grpc=public it is gRPC's own: do not wait for it.
//
// Not part of the library's API.
//
// Thread-safety: as a grpc::Channel: safe for concurrent use.
// Units:         none.
// Errors:        every call ends with `status`.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_INVALID_CHANNEL_H_
#define FORBEAR_INTERCEPTORS_CLIENT_INVALID_CHANNEL_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "absl/status/status.h"

namespace forbear {

std::shared_ptr<grpc::ChannelInterface> InvalidChannel(
    const std::string& target, const absl::Status& status);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_INVALID_CHANNEL_H_
