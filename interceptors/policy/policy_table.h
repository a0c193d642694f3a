// The policies of a client: one for each method, service, or all the rest.
//
//   PolicyTable table;                         // Defaults for every method.
//   table.Set("shop.Routes/Estimate", policy); // One method.
//   table.Set("shop.Routes", policy);          // The rest of its service.
//   table.Set("", policy);                     // Everything else.
//   table.For("/shop.Routes/Estimate");        // The nearest of these.
//
// A method's policy beats its service's, which beats the default: the order
// of `methodConfig[].name[]` in a gRPC service config.
//
// Thread-safety: thread-compatible; build it, then only read it. For() does
//                not allocate, and its result lives as long as the table.
// Units:         none.
// Errors:        Validate() gives INVALID_ARGUMENT for the first bad policy,
//                with the name it was set under.
#ifndef FORBEAR_INTERCEPTORS_POLICY_POLICY_TABLE_H_
#define FORBEAR_INTERCEPTORS_POLICY_POLICY_TABLE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy/method_policy.h"

namespace forbear {

class PolicyTable {
 public:
  PolicyTable() = default;
  // The same policy for every method.
  // NOLINTNEXTLINE(google-explicit-constructor): a policy is a table of one.
  PolicyTable(MethodPolicy everywhere) : everywhere_(everywhere) {}

  // `name` is "package.Service/Method", "package.Service", or "" for the
  // rest. Setting a name again replaces its policy.
  void Set(absl::string_view name, const MethodPolicy& policy);

  // The names that were set, sorted, as Set() takes them but for "".
  std::vector<std::string> names() const;
  // What was set under exactly this name, "" included; null: nothing was.
  const MethodPolicy* Find(absl::string_view name) const;

  // `method` as gRPC writes it: "/package.Service/Method".
  const MethodPolicy& For(absl::string_view method) const;

  absl::Status Validate() const;

 private:
  MethodPolicy everywhere_;
  absl::flat_hash_map<std::string, MethodPolicy> by_name_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_POLICY_TABLE_H_
