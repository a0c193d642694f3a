// What all calls of one client share: its policies, budgets and observer.
//
// Made once per channel from valid options, held by every call in flight, so
// that the channel and its stubs may go away while calls wait.
//
//   std::shared_ptr<ClientCore> core = ClientCore::Make(target, options);
//   const Method* method = core->Find("/shop.Routes/Estimate");
//
// Not part of the library's API.
//
// Thread-safety: safe for concurrent use. Find() takes a lock and is meant to
//                be asked once per stub; generic stubs ask on every call.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_CLIENT_CORE_H_
#define FORBEAR_INTERCEPTORS_CLIENT_CLIENT_CORE_H_

#include <grpcpp/channel.h>
#include <grpcpp/support/channel_arguments.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/client/client_options.h"
#include "interceptors/client/core_retries.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/retry_call.h"
#include "interceptors/telemetry/recent_quantile.h"

namespace forbear {

// One method of a client, looked up once.
struct Method {
  std::string name;  // "/package.Service/Method"
  const MethodPolicy* policy = nullptr;
  Repeatable declared = Repeatable::kUnknown;  // By its .proto.
  bool reads = false;                          // By its .proto.
  // Where its calls are hedged: the cap, and how long its calls take if it is
  // that which says when. Else null.
  std::unique_ptr<RetryBudget> hedge_cap;
  std::unique_ptr<RecentQuantile> late;
  // Whether the log has been told that nobody says if it is repeatable.
  mutable std::atomic<bool> told_not_repeatable{false};
  // The same for gRPC's own retries, and whether they act on it.
  mutable std::atomic<bool> told_left_to_channel{false};
  mutable CoreRetries::Seen core_retries;
};

class ClientCore {
 public:
  static std::shared_ptr<ClientCore> Make(const std::string& target,
                                          const ClientOptions& options);

  // The result lives as long as the core.
  const Method* Find(absl::string_view name);

  // Says what the calls go out on, before the first of them. Not held: it is
  // asked while a call is in flight, whose context holds it. Without a channel
  // nothing is known of gRPC's own retries and of connections.
  void Attach(const std::shared_ptr<grpc::Channel>& channel,
              const grpc::ChannelArguments& arguments);

  // Whether gRPC's own retries act on the method: for a call that starts, and
  // by the config of this moment for one that has failed.
  bool LeftToChannel(const Method& method, absl::Time now) const;
  bool LeftToChannelNow(const Method& method) const;

  // Whether an attempt that gRPC calls never sent is the only one there was.
  bool AttemptsAreOurs(const Method& method) const;

  // Whether an attempt would have to wait for a connection first.
  bool Connecting() const;

  const std::string& target() const { return target_; }
  RetryBudgets budgets() const {
    return {target_budget_.get(), process_budget_.get()};
  }
  Observer* observer() const { return observer_.get(); }

 private:
  ClientCore(const std::string& target, const ClientOptions& options);

  const std::string target_;
  const PolicyTable policy_;
  const std::shared_ptr<RetryBudget> target_budget_;
  const std::shared_ptr<RetryBudget> process_budget_;
  const std::shared_ptr<Observer> observer_;
  std::weak_ptr<grpc::Channel> channel_;
  std::unique_ptr<CoreRetries> core_retries_;  // Null if there are none.
  bool attached_ = false;
  std::mutex mutex_;
  absl::flat_hash_map<std::string, std::unique_ptr<Method>> methods_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_CLIENT_CORE_H_
