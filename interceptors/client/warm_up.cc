#include "interceptors/client/warm_up.h"

#include "absl/strings/str_cat.h"

namespace forbear {
namespace {

absl::string_view NameOf(grpc_connectivity_state state) {
  switch (state) {
    case GRPC_CHANNEL_IDLE:
      return "idle";
    case GRPC_CHANNEL_CONNECTING:
      return "connecting";
    case GRPC_CHANNEL_READY:
      return "ready";
    case GRPC_CHANNEL_TRANSIENT_FAILURE:
      return "in failure: its calls say why";
    case GRPC_CHANNEL_SHUTDOWN:
      return "shut down";
  }
  return "in no state that gRPC names";
}

}  // namespace

absl::Status WarmUp(grpc::ChannelInterface& channel, absl::Time deadline) {
  for (;;) {
    const grpc_connectivity_state state =
        channel.GetState(/*try_to_connect=*/true);
    if (state == GRPC_CHANNEL_READY) return absl::OkStatus();
    if (state == GRPC_CHANNEL_SHUTDOWN) {
      return absl::FailedPreconditionError(
          "WarmUp: the channel is shut down, or was made from invalid options; "
          "its calls say which");
    }
    if (!channel.WaitForStateChange(state, absl::ToChronoTime(deadline))) {
      return absl::DeadlineExceededError(
          absl::StrCat("WarmUp: not connected by the deadline; the channel is ",
                       NameOf(state)));
    }
  }
}

}  // namespace forbear
