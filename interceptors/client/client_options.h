// What a client wants of its channel.
//
//   forbear::ClientOptions options;
//   options.policy.Set("shop.Routes/Estimate", estimate_policy);
//   options.observer = metrics;
//   auto channel = forbear::CreateChannel(target, credentials, options);
//
// Thread-safety: a value; copied by CreateChannel().
// Units:         beside each field.
// Errors:        Validate() names the first bad field, its range and its value.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_CLIENT_OPTIONS_H_
#define FORBEAR_INTERCEPTORS_CLIENT_CLIENT_OPTIONS_H_

#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "interceptors/policy/client_policy.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy_file/policy_file.h"
#include "interceptors/telemetry/observer.h"

namespace forbear {

struct ClientOptions {
  // Of all methods and budgets; a MethodPolicy is one for every method. From a
  // file: LoadPolicy("shop.json")->client.
  ClientPolicy policy;

  // Stands instead of `policy`, and is followed when it changes. What it says
  // of a budget holds for a bucket that others made, too, from then on.
  std::shared_ptr<PolicyFile> policy_file;

  // The bucket that all targets of the process share. Null: one of the
  // process, by `policy.process_budget`.
  std::shared_ptr<RetryBudget> process_budget;

  // One layer of retries: where the channel's service config has a
  // `retryPolicy` for a method, gRPC retries its calls and forbear does not,
  // but keeps to its deadlines and keys. True turns gRPC's retries off instead,
  // its transparent ones included (a call that never left, a GOAWAY that it
  // crossed), and forbear's act on every method.
  bool take_over = false;

  // Told what happens. Null: nobody.
  std::shared_ptr<Observer> observer;

  // For the gRPC channel underneath.
  grpc::ChannelArguments arguments;

  // Interceptors of the user's own. They see every attempt as a call, and
  // while a handler's call waits to be retried a streaming call that sends
  // nothing. Having any sends each call the slower way: see
  // retry_interceptor.h.
  std::vector<
      std::shared_ptr<grpc::experimental::ClientInterceptorFactoryInterface>>
      interceptors;

  absl::Status Validate() const;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_CLIENT_OPTIONS_H_
