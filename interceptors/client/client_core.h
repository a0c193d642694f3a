// What all calls of one client share: its policies, budgets and observer.
//
// Made once per channel from valid options, held by every call in flight, so
// that the channel and its stubs may go away while calls wait.
//
//   std::shared_ptr<ClientCore> core = ClientCore::Make(target, options);
//   const NamedMethod* named = core->Find("/shop.Routes/Estimate");
//   InUse<Method> method = named->Take();   // Of one call.
//
// Not part of the library's API.
//
// Thread-safety: safe for concurrent use. Find() is asked once per stub, but by
//                generic stubs on every call: it takes a lock for the first
//                calls of a method alone, and allocates nothing after them.
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
#include "interceptors/client/latest.h"
#include "interceptors/policy/client_policy.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/policy_table.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/retry_call.h"
#include "interceptors/policy_file/policy_file.h"
#include "interceptors/telemetry/recent_quantile.h"

namespace forbear {

// One method of a client, under one policy. A call uses the same one from its
// beginning to its end.
struct Method {
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  RetryBudgets budgets() const {
    RetryBudgets budgets;
    budgets.target = target_budget.get();
    budgets.process = process_budget.get();
    budgets.hedges = hedge_cap.get();
    return budgets;
  }

  std::string name;  // "/package.Service/Method"
  MethodPolicy policy_of_now;
  const MethodPolicy* const policy = &policy_of_now;
  std::shared_ptr<RetryBudget> target_budget;
  std::shared_ptr<RetryBudget> process_budget;
  Repeatable declared = Repeatable::kUnknown;  // By its .proto.
  bool reads = false;                          // By its .proto.
  // Where its calls are hedged: the cap, and how long its calls take if it is
  // that which says when. Else null.
  std::shared_ptr<RetryBudget> hedge_cap;
  std::shared_ptr<RecentQuantile> late;
  // Whether the log has been told that nobody says if it is repeatable.
  mutable std::atomic<bool> told_not_repeatable{false};
  // The same for gRPC's own retries, and whether they act on it.
  mutable std::atomic<bool> told_left_to_channel{false};
  CoreRetries::Seen* core_retries = nullptr;

  mutable std::atomic<int64_t> uses{0};  // See InUse.
};

// One method of a client, looked up once, whatever its policy.
struct NamedMethod {
  InUse<Method> Take() const { return versions.Take(); }

  std::string name;  // "/package.Service/Method"
  CoreRetries::Seen core_retries;
  Latest<Method> versions;  // Replaced under the core's lock.
};

class ClientCore {
 public:
  static std::shared_ptr<ClientCore> Make(const std::string& target,
                                          const ClientOptions& options);

  // The result lives as long as the core.
  const NamedMethod* Find(absl::string_view name);

  // Calls that start from now on follow this policy.
  void Adopt(const ClientPolicy& policy);

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
  Observer* observer() const { return observer_.get(); }

 private:
  ClientCore(const std::string& target, const ClientOptions& options);

  void Fill(NamedMethod& named) const;

  const std::string target_;
  const std::shared_ptr<Observer> observer_;
  // The user's own, instead of the process's.
  const std::shared_ptr<RetryBudget> own_process_budget_;
  const std::shared_ptr<PolicyFile> policy_file_;  // Null: nothing changes.
  std::weak_ptr<grpc::Channel> channel_;
  std::unique_ptr<CoreRetries> core_retries_;  // Null if there are none.
  bool attached_ = false;
  std::mutex mutex_;
  PolicyTable policy_;
  std::shared_ptr<RetryBudget> target_budget_;
  std::shared_ptr<RetryBudget> process_budget_;
  absl::flat_hash_map<std::string, std::unique_ptr<NamedMethod>> methods_;
  // A copy of that for those who look without the lock, and how many have
  // looked in vain since it was made.
  struct Names {
    absl::flat_hash_map<std::string, const NamedMethod*> by_name;
    mutable std::atomic<int64_t> uses{0};  // See InUse.
  };
  Latest<Names> names_;
  size_t missed_ = 0;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_CLIENT_CORE_H_
