// JSON text as a tree, or the one place where it stops being JSON.
//
// Reads RFC 8259 and nothing besides: no comments, no NaN, no trailing commas,
// UTF-8 only. A name that stands twice in an object is an error: which of the
// two did its writer mean?
//
//   absl::StatusOr<Tree> tree = ParseJson(R"({"methodConfig": []})");
//
// Thread-safety: a pure function.
// Units:         lines and columns are counted from 1.
// Errors:        INVALID_ARGUMENT "3:17: ..."; never deeper than kDeepestTree.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_JSON_TREE_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_JSON_TREE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy_file/tree.h"

namespace forbear {

absl::StatusOr<Tree> ParseJson(absl::string_view text);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_JSON_TREE_H_
