// The fields of one object: asked for by name; what nobody asked for is wrong.
//
//   TreeObject retry(tree, "methodConfig[2].retryPolicy", &problems);
//   if (const Tree* value = retry.Find("maxAttempts")) { ... }
//   retry.RefuseRest();   // Unknown fields, each with the nearest known name.
//
// Thread-safety: thread-compatible.
// Units:         none.
// Errors:        go to `problems`.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_TREE_OBJECT_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_TREE_OBJECT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "interceptors/policy_file/problems.h"
#include "interceptors/policy_file/tree.h"

namespace forbear {

class TreeObject {
 public:
  // What is not an object is an error, and then has no fields; so is a name
  // that JSON has twice. `tree` must outlive this.
  TreeObject(const Tree& tree, std::string place, Problems* problems);

  // The field called `name`, or in JSON its lowerCamelCase; null if it is not
  // there, or is null. That text format gives it more than once is an error.
  const Tree* Find(absl::string_view name);
  // The same for a field that may be given more than once.
  const Tree* FindAll(absl::string_view name);

  // Where the field stands, as the file writes its name.
  std::string Place(absl::string_view name) const;
  const std::string& place() const { return place_; }
  // False: that is said already, and nothing is missing in it.
  bool is_object() const { return is_object_; }

  // Each value of a list, with its place. (Text format writes lists of one
  // without brackets.)
  std::vector<std::pair<const Tree*, std::string>> List(absl::string_view name);

  // Also a name that an unknown field may have meant, in another kind of file.
  void Suggest(absl::string_view name) { known_.emplace_back(name); }

  void RefuseRest();

 private:
  void RefuseTwice();
  std::string PlaceOf(size_t member) const;
  size_t IndexOf(absl::string_view name) const;

  const Tree* tree_;
  const std::string place_;
  Problems* const problems_;
  bool is_object_;
  std::vector<bool> asked_;         // Of each member.
  std::vector<std::string> known_;  // The names that were asked for.
};

// "attempt_timeout" as JSON writes it: "attemptTimeout".
std::string CamelCase(absl::string_view name);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_TREE_OBJECT_H_
