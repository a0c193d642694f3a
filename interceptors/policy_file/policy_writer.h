// Policies written down again: as a policy file, or as a gRPC service config.
//
//   std::string json = WritePolicy(policy);
//   std::vector<std::string> lost;
//   std::string config = WriteServiceConfig(policy.client, &lost);
//
// Thread-safety: pure functions.
// Units:         as a policy file, or a service config, writes them.
// Errors:        none. What a service config cannot say is in `lost`, a line
//                each: whose, which field, and what becomes of it there.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_WRITER_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_WRITER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy/client_policy.h"
#include "interceptors/policy_file/policy.h"
#include "interceptors/policy_file/tree.h"

namespace forbear {

// JSON of forbear.v1.Policy: what is not a default, methods alike together.
std::string WritePolicy(const Policy& policy);

std::string WriteServiceConfig(const ClientPolicy& policy,
                               std::vector<std::string>* lost);

// {"service": ..., "method": ...} of a name as PolicyTable::Set() takes it.
Tree NameTree(absl::string_view name);

// The entries of a file, in which methods of the same policy share one.
class MethodEntries {
 public:
  void Add(absl::string_view name, const Tree& policy);
  Tree Result() && { return std::move(list_); }

 private:
  Tree list_;
  absl::flat_hash_map<std::string, size_t> by_policy_;  // As JSON.
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_WRITER_H_
