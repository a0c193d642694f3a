// A method's handler with the guard in front of it.
//
// gRPC runs this in place of the user's handler. It asks whether there is time,
// enters the call's scope, runs the user's handler, and looks once at the
// answer as it leaves. Where the answer leaves is told by a hook under the
// call: gRPC hands each handler a Call, and a Call sends through a CallHook.
//
//   AddMethod(new RpcServiceMethod(
//       method.name(), method.method_type(),
//       new GuardedMethod(method, options, options.Validate())));
//
// Thread-safety: safe for concurrent use, as gRPC uses handlers.
// Units:         durations are absl::Duration.
// Errors:        invalid options, given as `fault`, answer every call INTERNAL
//                with the fault's message.
#ifndef FORBEAR_INTERCEPTORS_SERVER_GUARDED_METHOD_H_
#define FORBEAR_INTERCEPTORS_SERVER_GUARDED_METHOD_H_

#include <grpcpp/impl/rpc_service_method.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/server/refusal.h"
#include "interceptors/server/server_options.h"

namespace forbear {

class GuardedMethod final : public grpc::internal::MethodHandler {
 public:
  // `method` has a handler and outlives this. If its calls cannot be refused,
  // the log says so now; they are then counted only.
  GuardedMethod(const grpc::internal::RpcServiceMethod& method,
                ServerOptions options, const absl::Status& fault);

  void* Deserialize(grpc_call* call, grpc_byte_buffer* request,
                    grpc::Status* status, void** handler_data) override;
  void RunHandler(const HandlerParameter& param) override;

 private:
  // Answers the call if it may not enter, and returns true.
  bool Refused(const HandlerParameter& param, absl::Duration time_left);

  const absl::string_view name_;
  const bool callback_;
  grpc::internal::MethodHandler& handler_;
  const Refusal refusal_;
  const ServerOptions options_;
  const grpc::Status fault_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_GUARDED_METHOD_H_
