// Retries as a plain gRPC client interceptor, on gRPC's public API alone.
//
// For those who build their channels themselves, and the fallback should gRPC
// change under CreateChannel(). Each unary call is taken over ("hijacked"), and
// every attempt, the first included, is a call of its own.
//
//   std::vector<std::unique_ptr<ClientInterceptorFactoryInterface>> factories;
//   factories.push_back(RetryInterceptorFactory::Make(target,
//   options).value()); auto channel =
//   grpc::experimental::CreateCustomChannelWithInterceptors(
//       target, credentials, arguments, std::move(factories));
//
// Put it first: interceptors after it see every attempt, those before it see
// one call. Without the channel that CreateChannel() makes it can't
//   - tell a generic stub from a generated one: do not use generic stubs on
//     such a channel;
//   - see wait-for-ready, the authority, FromServerContext(): attempts go
//     without them, but inherit from the scope that they are made in;
//   - retry for a sync stub without gRPC's callback threads: a sync call made
//     on one of these may wait for itself;
//   - see the channel: it does not step aside for a `retryPolicy` in its
//     service config (set none), has no allowance for connecting, does not
//     learn from a connection that failed, and WarmUp() waits in vain for one
//     whose options are invalid;
//   - see calls of mode off, or their options;
//   - give peer() and the debug string of an attempt to the caller.
// A call costs a fifth (sync) to a quarter (callback) more than a plain one, in
// instructions; see tests/benchmarks.
//
// Thread-safety: safe for concurrent use.
// Units:         those of ClientOptions.
// Errors:        Make() gives INVALID_ARGUMENT for invalid options.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_RETRY_INTERCEPTOR_H_
#define FORBEAR_INTERCEPTORS_CLIENT_RETRY_INTERCEPTOR_H_

#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "interceptors/client/client_core.h"
#include "interceptors/client/client_options.h"

namespace forbear {

class RetryInterceptorFactory final
    : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  // `target` names the bucket that its calls share with other channels to the
  // same target. Options that belong to a channel (`arguments`,
  // `interceptors`) are not used.
  static absl::StatusOr<std::unique_ptr<RetryInterceptorFactory>> Make(
      const std::string& target, const ClientOptions& options);

  // For a channel that knows its client already.
  static std::unique_ptr<RetryInterceptorFactory> For(
      std::shared_ptr<ClientCore> core);

  grpc::experimental::Interceptor* CreateClientInterceptor(
      grpc::experimental::ClientRpcInfo* info) override;

 private:
  explicit RetryInterceptorFactory(std::shared_ptr<ClientCore> core);

  const std::shared_ptr<ClientCore> core_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_RETRY_INTERCEPTOR_H_
