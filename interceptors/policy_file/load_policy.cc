#include "interceptors/policy_file/load_policy.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "interceptors/policy_file/json_tree.h"
#include "interceptors/policy_file/policy_reader.h"
#include "interceptors/policy_file/problems.h"
#include "interceptors/policy_file/service_config.h"
#include "interceptors/policy_file/text_tree.h"
#include "interceptors/policy_file/tree.h"

namespace forbear {
namespace {

absl::Status Unreadable(const std::string& path, int error) {
  const std::string message =
      absl::StrCat(path, ": cannot be read: ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(message)
                         : absl::FailedPreconditionError(message);
}

absl::Status TooLarge(absl::string_view file) {
  return absl::InvalidArgumentError(
      absl::StrCat(file, file.empty() ? "" : ": ",
                   "is larger than 4 MiB, which no policy is: split it by "
                   "service"));
}

// Reads up to one byte more than a policy may have.
absl::StatusOr<std::string> ReadAll(int file, const std::string& path) {
  std::string text;
  char part[1 << 16];
  while (text.size() <= kLargestPolicyFile) {
    const ssize_t got = read(file, part, sizeof(part));
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) return Unreadable(path, errno);
    if (got > 0) text.append(part, static_cast<size_t>(got));
  }
  return TooLarge(path);
}

absl::StatusOr<Tree> ParseTree(absl::string_view text) {
  const absl::string_view begin = absl::StripLeadingAsciiWhitespace(text);
  // What begins with a brace is JSON (after a byte order mark, too), and no
  // text format does.
  const bool json = !begin.empty() &&
                    (begin[0] == '{' || begin[0] == '[' || begin[0] == '\xEF');
  return json ? ParseJson(text) : ParseTextFormat(text);
}

Policy Read(const Tree& tree, Problems* problems) {
  if (IsServiceConfig(tree)) return ReadServiceConfig(tree, problems);
  if (tree.kind == Tree::Kind::kObject && tree.items.empty()) {
    problems->Error("",
                    "says nothing: name methods (of a policy file) or "
                    "methodConfig (of a gRPC service config)");
  }
  return ReadPolicy(tree, problems);
}

}  // namespace

absl::StatusOr<std::string> ReadPolicyText(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Unreadable(path, errno);
  absl::StatusOr<std::string> text = ReadAll(file, path);
  close(file);
  return text;
}

absl::StatusOr<Policy> LoadPolicy(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadPolicyText(path);
  if (!text.ok()) return text.status();
  return ParsePolicy(*text, path);
}

absl::StatusOr<Policy> ParsePolicy(absl::string_view text,
                                   absl::string_view file) {
  Problems problems(file);
  if (text.size() > kLargestPolicyFile) return TooLarge(file);
  if (absl::StripAsciiWhitespace(text).empty()) {
    problems.Error("", "is empty");
    return problems.Status();
  }
  const absl::StatusOr<Tree> tree = ParseTree(text);
  if (!tree.ok()) {
    problems.Error("", tree.status().message());
    return problems.Status();
  }
  Policy policy = Read(*tree, &problems);
  const absl::Status status = problems.Status();
  if (!status.ok()) return status;
  policy.warnings = problems.warnings();
  return policy;
}

}  // namespace forbear
