// Scopes for handlers by gRPC's public interceptor API alone.
//
// For services that are registered without a ServerGuard, and for servers that
// cannot have one. Sync and callback handlers run in their call's scope, so
// that the calls they make inherit its deadline and cancellation; their answers
// are corrected as the guard's are; observers hear of them.
//
//   InterceptorFactories factories;
//   factories.push_back(std::make_unique<DeadlineInterceptorFactory>(options));
//   builder.experimental().SetInterceptorCreators(std::move(factories));
//
// What it cannot do, and the guard can:
// - Keep a late handler from running: it counts it, as in observe mode.
// - Come cheap: a call pays gRPC's interceptor batches, about 10,000
//   instructions.
// - Enter a scope where an interceptor after it in the list hands the call over
//   to another thread, or where the handler is a completion queue's.
// - Hear that the caller of a sync handler is gone, unless something asks
//   IsCancelled().
// gRPC's own services (health, reflection) are left alone.
//
// Thread-safety: safe for concurrent use, as gRPC uses interceptors.
// Units:         see ServerOptions.
// Errors:        invalid options: it does nothing, and the log says why.
#ifndef FORBEAR_INTERCEPTORS_SERVER_DEADLINE_INTERCEPTOR_H_
#define FORBEAR_INTERCEPTORS_SERVER_DEADLINE_INTERCEPTOR_H_

#include <grpcpp/support/server_interceptor.h>

#include <functional>

#include "interceptors/server/server_options.h"

namespace forbear {

class DeadlineInterceptorFactory final
    : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  // Methods for which `left_out` is true pay only for being asked. The pointer
  // it is given is the one of the method's registration.
  explicit DeadlineInterceptorFactory(
      ServerOptions options,
      std::function<bool(const char* method)> left_out = nullptr);

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override;

 private:
  const ServerOptions options_;
  const std::function<bool(const char* method)> left_out_;
  const bool active_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_DEADLINE_INTERCEPTOR_H_
