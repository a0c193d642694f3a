#include "interceptors/client/stream_attempt.h"

#include <grpcpp/impl/rpc_method.h>

#include "interceptors/client/grpc_time.h"

namespace forbear {
namespace {

Step WithTime(Step step, absl::Duration time) {
  step.time = time;
  return step;
}

}  // namespace

StreamAttempt::StreamAttempt(Owner* owner, const CallTemplate& call,
                             const Parent& parent, const Step& step,
                             absl::Duration time, absl::Time now)
    : owner_(owner), attempt_(call, parent, WithTime(step, time), now) {}

void StreamAttempt::Start(grpc::ChannelInterface* channel,
                          const std::string& method) {
  const grpc::internal::RpcMethod rpc(
      method.c_str(), grpc::internal::RpcMethod::BIDI_STREAMING);
  grpc::internal::ClientCallbackReaderWriterFactory<
      grpc::ByteBuffer, grpc::ByteBuffer>::Create(channel, rpc,
                                                  attempt_.context.get(), this);
  AddHold();  // Until there is nothing more to read.
  StartRead(&message);
  StartCall();
  owner_->Started(this);
}

void StreamAttempt::Send(const grpc::ByteBuffer& message,
                         grpc::WriteOptions options) {
  sending_ = message;
  StartWrite(&sending_, options);
}

void StreamAttempt::StartTimer(absl::Time when) {
  timer_.Set(ToGrpc(when),
             [this](bool ran_out) { owner_->TimedOut(this, ran_out); });
}

}  // namespace forbear
