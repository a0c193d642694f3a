// Text format (protobuf's) as a tree, or the one place where it stops being so.
//
// It is read without a descriptor: which fields there are, and what they hold,
// is asked later, of JSON and text format alike. A field that is given several
// times becomes a list.
//
//   absl::StatusOr<Tree> tree = ParseTextFormat(R"(
//     methods { name { service: "shop.Routes" } max_attempts: 3 })");
//
// Thread-safety: a pure function.
// Units:         lines and columns are counted from 1.
// Errors:        INVALID_ARGUMENT "3:17: ..."; never deeper than kDeepestTree.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_TEXT_TREE_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_TEXT_TREE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy_file/tree.h"

namespace forbear {

absl::StatusOr<Tree> ParseTextFormat(absl::string_view text);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_TEXT_TREE_H_
