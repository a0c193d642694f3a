// Connects a channel before its first call needs it.
//
// A channel connects when it is first used: resolving, TCP and TLS then eat the
// time of its first calls. Warm up after a start, before traffic is taken.
//
//   auto channel = forbear::CreateChannel("dns:///routes:50051", credentials);
//   absl::Status ready = forbear::WarmUp(*channel, absl::Now() + limit);
//   if (!ready.ok()) LOG(WARNING) << ready;  // Calls may still succeed later.
//
// A channel that has not been used for long (30 minutes by default) disconnects
// again; `connect_allowance` is for the calls that find it so. Over several
// addresses one connection is enough.
//
// Thread-safety: safe for concurrent use. Blocks: not for gRPC's own threads.
// Units:         an instant of the wall clock, as gRPC's deadlines are.
// Errors:        DEADLINE_EXCEEDED, with the state the channel is in. At once
//                FAILED_PRECONDITION for a channel that was made from invalid
//                options: its calls say which.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_WARM_UP_H_
#define FORBEAR_INTERCEPTORS_CLIENT_WARM_UP_H_

#include <grpcpp/impl/channel_interface.h>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace forbear {

absl::Status WarmUp(grpc::ChannelInterface& channel, absl::Time deadline);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_WARM_UP_H_
