#include "examples/page/file.h"

#include <errno.h>
#include <string.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace page {

std::string FromWhereTheUserStands(absl::string_view path) {
  // `bazel run` starts the program elsewhere, and tells it so.
  const char* directory = std::getenv("BUILD_WORKING_DIRECTORY");
  if (directory == nullptr || absl::StartsWith(path, "/")) {
    return std::string(path);
  }
  return absl::StrCat(directory, "/", path);
}

absl::Status WriteFile(absl::string_view path, absl::string_view text) {
  const std::string name = FromWhereTheUserStands(path);
  std::FILE* file = std::fopen(name.c_str(), "w");
  bool written = file != nullptr;
  if (written) {
    written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    // What was buffered may not fit.
    written &= std::fclose(file) == 0;
  }
  if (written) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": cannot be written: ", strerror(errno)));
}

}  // namespace page
