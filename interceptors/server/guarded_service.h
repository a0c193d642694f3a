// The user's service with the guard in front of every handler.
//
// gRPC registers this one; its methods have the names and kinds of the user's,
// and run the user's handlers. Methods that are served from completion queues
// have no handler: gRPC registers them here as well, and the user's service is
// then told where, so that its Request...() members work.
//
//   services.push_back(std::make_unique<GuardedService>(service, setup_of));
//   services.back()->RegisterWith(builder);
//
// Thread-safety: as that of a grpc::Service.
// Units:         none.
// Errors:        see GuardedMethod.
#ifndef FORBEAR_INTERCEPTORS_SERVER_GUARDED_SERVICE_H_
#define FORBEAR_INTERCEPTORS_SERVER_GUARDED_SERVICE_H_

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_builder.h>

#include <functional>
#include <map>

#include "interceptors/server/guarded_method.h"

namespace forbear {

class GuardedService final : public grpc::Service {
 public:
  // What a method of this name ("/package.Service/Method") is guarded with.
  using SetupOf = std::function<MethodSetup(const char* method)>;

  // `service` outlives this, and this outlives the server.
  GuardedService(grpc::Service& service, const SetupOf& setup_of);

  // Those with a handler, under the pointers that the user's service has.
  const std::map<const char*, const GuardedMethod*>& guarded() const {
    return guarded_;
  }

  void RegisterWith(grpc::ServerBuilder& builder);

 private:
  grpc::Service& service_;
  std::map<const char*, const GuardedMethod*> guarded_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_GUARDED_SERVICE_H_
