// Keeps a server from working for callers who have stopped waiting.
//
// A handler whose caller's deadline has passed is not started; the caller is
// told that nothing was applied. A handler that is started runs in its call's
// scope, so that the calls it makes inherit its deadline and its cancellation.
// When those calls have already been retried in vain, the answer says so, and
// nobody above retries once more.
//
//   forbear::ServerGuard guard(forbear::ServerOptions{});
//   grpc::ServerBuilder builder;
//   guard.RegisterService<shop::Routes>(builder, service);
//   guard.Install(builder);
//   auto server = builder.BuildAndStart();  // The guard outlives the server.
//
// Any generated service will do, with sync and callback methods, unary and
// streaming, mixed as you like. Methods that it serves from completion queues,
// or leaves to a generic service, have no handler to guard: they work as ever,
// the log names them, and Enter() guards a call of theirs. A request that
// cannot be read reaches no handler, and is gRPC's.
//
// A unary call pays about 1,500 instructions for it with a sync handler, 2,200
// with a callback handler, of 150,000 in client and server together.
//
// Thread-safety: used by one thread until the server starts; the server then
//                uses it from all of its threads.
// Units:         see ServerOptions.
// Errors:        nothing crashes. What is wrong is logged and kept in status();
//                with invalid options every guarded call is answered INTERNAL,
//                naming the field, the range and the value.
#ifndef FORBEAR_INTERCEPTORS_SERVER_SERVER_GUARD_H_
#define FORBEAR_INTERCEPTORS_SERVER_SERVER_GUARD_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/server_interceptor.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "interceptors/admission/admission.h"
#include "interceptors/server/guarded_call.h"
#include "interceptors/server/guarded_method.h"
#include "interceptors/server/guarded_service.h"
#include "interceptors/server/server_options.h"

namespace forbear {

class ServerGuard {
 public:
  using InterceptorFactories = std::vector<
      std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>;

  explicit ServerGuard(ServerOptions options);
  ~ServerGuard();
  ServerGuard(const ServerGuard&) = delete;
  ServerGuard& operator=(const ServerGuard&) = delete;

  // Registers `service`, an implementation of the generated class `Generated`,
  // with the builder. It must outlive the server. Take this in the place of
  // builder.RegisterService(&service).
  template <typename Generated>
  void RegisterService(grpc::ServerBuilder& builder,
                       typename Generated::Service& service) {
    Register(builder, &service, Generated::service_full_name());
  }
  template <typename Generated>
  void RegisterService(grpc::ServerBuilder& builder,
                       typename Generated::Service* service) {
    Register(builder, service, Generated::service_full_name());
  }

  // Registers a generic service, whose calls ask Enter(). In a server that has
  // one, services that are registered without the guard have no scopes: what is
  // whose cannot be told.
  void RegisterGenericService(grpc::ServerBuilder& builder,
                              grpc::AsyncGenericService& service);
  void RegisterGenericService(grpc::ServerBuilder& builder,
                              grpc::CallbackGenericService& service);

  // Whether a call that a service took from a completion queue, or generically,
  // may go on; if not, `refuse` is called with the answer, and null returned.
  // `method` is "/package.Service/Method". See guarded_call.h.
  std::unique_ptr<GuardedCall> Enter(grpc::ServerContextBase* context,
                                     const std::string& method,
                                     const GuardedCall::Refuse& refuse);

  // Gives handlers of services that were registered without the guard a scope
  // too, by an interceptor; it cannot keep them from running. Limits of sync
  // methods need it as well. A builder has one list of interceptors and this
  // sets it: give your own here.
  void Install(grpc::ServerBuilder& builder,
               InterceptorFactories interceptors = {});

  // From now on no call of a method with a limit is let in; those that wait are
  // answered UNAVAILABLE, with a pushback. Handlers go on: give them a grace in
  // server->Shutdown(deadline).
  void Drain();

  // Calls that wait before their handlers.
  size_t waiting() const;

  // The first thing that was wrong: options, a null service, one registered
  // twice. OK if nothing was.
  const absl::Status& status() const { return status_; }

 private:
  struct Served;

  MethodSetup SetupOf(const std::string& method) const;

  void Register(grpc::ServerBuilder& builder, grpc::Service* service,
                const char* name);
  void Fail(absl::Status status);

  const ServerOptions options_;
  const absl::Status options_status_;
  absl::Status status_;
  std::unique_ptr<Admission> admission_;  // Null if there is no limit.
  std::map<std::string, Gate*> gates_;    // Of methods, by their names.
  std::shared_ptr<Served> served_;
  std::vector<std::unique_ptr<GuardedService>> services_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_SERVER_GUARD_H_
