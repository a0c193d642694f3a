// A streaming call taken over through gRPC's public interceptor API: every
// attempt, the first included, is a call of our own, and every message passes
// through here.
//
// For channels with interceptors of the user's, and for those who build their
// channels themselves. StreamCall costs less.
//
// Not part of the library's API.
//
// Thread-safety: as gRPC asks of an interceptor.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_HIJACKED_STREAM_H_
#define FORBEAR_INTERCEPTORS_CLIENT_HIJACKED_STREAM_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "interceptors/client/afterwards.h"
#include "interceptors/client/call_options.h"
#include "interceptors/client/client_core.h"
#include "interceptors/client/latest.h"
#include "interceptors/client/logical_call.h"
#include "interceptors/client/parent.h"
#include "interceptors/client/replay_buffer.h"
#include "interceptors/client/stream_retries.h"

namespace forbear {

class HijackedStream final : private StreamRetries::Relay {
 public:
  using Kind = grpc::experimental::ClientRpcInfo::Type;

  // The interceptor of the call. `generic`: the stub's messages are
  // ByteBuffers.
  static grpc::experimental::Interceptor* Make(std::shared_ptr<ClientCore> core,
                                               InUse<Method> method,
                                               grpc::ClientContext* context,
                                               Kind kind, bool generic);

 private:
  class Handle;
  using Methods = grpc::experimental::InterceptorBatchMethods;

  // A batch that waits for what it sends, or for what it receives.
  struct Held {
    Methods* methods;
    bool sends;
    int64_t messages_after;  // Sent by the stream once this one is.
  };

  HijackedStream(std::shared_ptr<ClientCore> core, InUse<Method> method,
                 grpc::ClientContext* context, Kind kind, bool generic);

  void Intercept(Methods* methods);
  void Cancel();
  void Abandon();

  // --- Under the mutex ---
  // True if the batch waits until what it sends has been sent.
  bool TakeSends(Methods* methods, Afterwards* afterwards);
  void Begin(Methods* methods, Afterwards* afterwards);
  void Serve(Afterwards* afterwards) override;
  bool CanAnswer(const Held& held);
  void Answer(const Held& held, Afterwards* afterwards);
  void AnswerMessage(Methods* methods, Afterwards* afterwards);

  void Idle() override;

  const std::shared_ptr<ClientCore> core_;
  const InUse<Method> method_;
  grpc::ClientContext* const context_;
  const Kind kind_;
  const bool generic_;
  const Parent parent_;  // It may end before the first batch.
  std::unique_ptr<const CallOptions> options_;

  std::mutex mutex_;  // Guards the following; not held across Proceed().
  bool hijacked_ = false;
  bool cancelled_ = false;
  ReplayBuffer sent_;
  std::vector<Held> held_;
  std::optional<LogicalCall> call_;
  StreamRetries::UnderWay under_way_;
  std::optional<StreamRetries> retries_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_HIJACKED_STREAM_H_
