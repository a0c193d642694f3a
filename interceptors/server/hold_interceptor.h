// Keeps calls of sync methods from their handlers until it is their turn.
//
// gRPC has no other place where a sync call can wait without its thread: an
// interceptor may hold a call that has arrived, and another thread may let it
// go on. Methods that have no limit pay only for being asked.
//
//   interceptors.push_back(std::make_unique<HoldInterceptorFactory>(find));
//
// Thread-safety: safe for concurrent use, as gRPC uses interceptors.
// Units:         see Admission.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_SERVER_HOLD_INTERCEPTOR_H_
#define FORBEAR_INTERCEPTORS_SERVER_HOLD_INTERCEPTOR_H_

#include <grpcpp/support/server_interceptor.h>

#include <functional>

#include "interceptors/server/guarded_method.h"

namespace forbear {

class HoldInterceptorFactory final
    : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  // `find` gives the method that was registered with this pointer, if its calls
  // are to be held, or null.
  using Find = std::function<const GuardedMethod*(const char* method)>;
  explicit HoldInterceptorFactory(Find find) : find_(std::move(find)) {}

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override;

 private:
  const Find find_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_HOLD_INTERCEPTOR_H_
