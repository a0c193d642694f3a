// A unary call that is taken over, and whose attempts are all calls of ours.
//
// Uses gRPC's public interceptor API alone. The stub's batches are held until
// the last attempt has ended, then answered from it.
//
// Not part of the library's API; see retry_interceptor.h.
//
// Thread-safety: as gRPC asks of an interceptor.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_HIJACKED_CALL_H_
#define FORBEAR_INTERCEPTORS_CLIENT_HIJACKED_CALL_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "interceptors/client/call_options.h"
#include "interceptors/client/client_core.h"
#include "interceptors/client/logical_call.h"
#include "interceptors/client/parent.h"
#include "interceptors/client/retries.h"

namespace forbear {

class HijackedCall final : public grpc::experimental::Interceptor {
 public:
  // `generic`: the stub's messages are ByteBuffers.
  HijackedCall(std::shared_ptr<ClientCore> core, InUse<Method> method,
               grpc::ClientContext* context, bool generic);

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override;

 private:
  using Methods = grpc::experimental::InterceptorBatchMethods;

  void Start(Methods* first);
  // All attempts have ended: answers the batches that wait for it.
  void Settle(const Retried& retried);
  void Answer(Methods* methods);
  void AnswerMessage(Methods* methods);
  void Cancel();

  const std::shared_ptr<ClientCore> core_;
  const InUse<Method> method_;
  grpc::ClientContext* const context_;
  const bool generic_;
  const Parent parent_;  // It may end before the first batch.
  std::unique_ptr<const CallOptions> options_;  // Until it starts.
  std::optional<LogicalCall> call_;
  Retried result_;  // Once settled_.

  std::mutex mutex_;  // Guards the following; not held across Proceed().
  bool cancelled_ = false;
  bool settled_ = false;
  std::vector<Methods*> held_;
  std::shared_ptr<AsyncRetries> retries_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_HIJACKED_CALL_H_
