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

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "interceptors/client/client_options.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/retry_call.h"

namespace forbear {

// One method of a client, looked up once.
struct Method {
  std::string name;  // "/package.Service/Method"
  const MethodPolicy* policy = nullptr;
  Repeatable declared = Repeatable::kUnknown;  // By its .proto.
  // Whether the log has been told that nobody says if it is repeatable.
  mutable std::atomic<bool> told_not_repeatable{false};
};

class ClientCore {
 public:
  static std::shared_ptr<ClientCore> Make(const std::string& target,
                                          const ClientOptions& options);

  // The result lives as long as the core.
  const Method* Find(absl::string_view name);

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
  std::mutex mutex_;
  absl::flat_hash_map<std::string, std::unique_ptr<Method>> methods_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_CLIENT_CORE_H_
