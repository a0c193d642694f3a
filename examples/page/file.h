// Writes a file where the user asked for it.
//
//   absl::Status status = WriteFile("storm.html", page);
//
// A relative path counts from where the user stands, under `bazel run` too.
//
// Thread-safety: safe for concurrent use, on different files.
// Units:         none.
// Errors:        a Status that names the file, and says what is wrong with it.
#ifndef FORBEAR_EXAMPLES_PAGE_FILE_H_
#define FORBEAR_EXAMPLES_PAGE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace page {

std::string FromWhereTheUserStands(absl::string_view path);

absl::Status WriteFile(absl::string_view path, absl::string_view text);

}  // namespace page

#endif  // FORBEAR_EXAMPLES_PAGE_FILE_H_
