// The `name` of an entry: for which methods it stands.
//
// A service config and a policy file have the same rules: {service, method},
// {service}, or {}; at least one; none twice in a file.
//
//   MethodNames names(&problems);
//   for (const std::string& name : names.Read(object)) table.Set(name, policy);
//
// Thread-safety: thread-compatible.
// Units:         none.
// Errors:        go to `problems`.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_METHOD_NAMES_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_METHOD_NAMES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interceptors/policy_file/problems.h"
#include "interceptors/policy_file/tree.h"
#include "interceptors/policy_file/tree_object.h"

namespace forbear {

class MethodNames {
 public:
  explicit MethodNames(Problems* problems) : problems_(problems) {}

  // The names of an entry, as PolicyTable::Set() takes them.
  std::vector<std::string> Read(TreeObject& entry);

  // Whether an entry of the file is for everything that no other names.
  bool has_everything() const { return places_.count("") != 0; }

 private:
  void ReadOne(const Tree& tree, const std::string& place,
               std::vector<std::string>& names);

  Problems* const problems_;
  absl::flat_hash_map<std::string, std::string> places_;  // Name to place.
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_METHOD_NAMES_H_
