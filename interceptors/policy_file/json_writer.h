// Trees made by hand, and written as JSON.
//
//   Tree entry = EmptyObject();
//   Put(entry, "timeout", TextTree("60s"));
//   std::string json = WriteJson(entry);
//
// Thread-safety: pure functions.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_JSON_WRITER_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_JSON_WRITER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "interceptors/policy_file/tree.h"

namespace forbear {

Tree EmptyObject();
Tree EmptyList();
Tree TextTree(absl::string_view text);
Tree NumberTree(double value);
// `written` is a number as JSON writes it.
Tree NumberTree(absl::string_view written);
Tree FlagTree(bool value);

// Adds a field at the end of an object, or an item at the end of a list.
Tree& Put(Tree& object, absl::string_view name, Tree value);
Tree& Put(Tree& list, Tree value);

// Indented by two; what fits on a line stands on one. Ends with a newline.
std::string WriteJson(const Tree& tree);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_JSON_WRITER_H_
