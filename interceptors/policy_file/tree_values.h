// What a value of the tree says, or what is wrong with it.
//
//   std::optional<absl::Duration> wait =
//       ReadDuration(tree, "retryPolicy.maxBackoff", {min, max}, &problems);
//
// Thread-safety: pure functions, but for `problems`.
// Units:         absl::Duration; a file writes seconds, as "0.25s".
// Errors:        none is returned, and the reason is in `problems`: place,
//                value, rule and remedy.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_TREE_VALUES_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_TREE_VALUES_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/policy_file/problems.h"
#include "interceptors/policy_file/tree.h"

namespace forbear {

// Both ends are allowed.
struct DurationRange {
  absl::Duration min;
  absl::Duration max = absl::InfiniteDuration();
};
struct NumberRange {
  double min;
  double max = std::numeric_limits<double>::infinity();
};

std::optional<absl::Duration> ReadDuration(const Tree& tree,
                                           absl::string_view place,
                                           DurationRange range,
                                           Problems* problems);
std::optional<double> ReadNumber(const Tree& tree, absl::string_view place,
                                 NumberRange range, Problems* problems);
// A whole number: 5 and 5.0 are, 5.5 is not. `remedy` ends the error where
// it is out of range, such as " (1 means no retries)".
std::optional<int64_t> ReadWhole(const Tree& tree, absl::string_view place,
                                 NumberRange range, Problems* problems,
                                 absl::string_view remedy = "");
std::optional<bool> ReadFlag(const Tree& tree, absl::string_view place,
                             Problems* problems);
// Printable ASCII; ReadName() takes no spaces.
std::optional<std::string> ReadName(const Tree& tree, absl::string_view place,
                                    Problems* problems);
std::optional<std::string> ReadText(const Tree& tree, absl::string_view place,
                                    Problems* problems);
// A name in any case, or a number.
std::optional<absl::StatusCode> ReadCode(const Tree& tree,
                                         absl::string_view place,
                                         Problems* problems);

// As a file writes them: "0.25s", "UNAVAILABLE".
std::string WriteDuration(absl::Duration value);
std::string WriteNumber(double value);
std::string WriteCode(absl::StatusCode code);
// In quotes, with escapes.
std::string WriteText(absl::string_view text);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_TREE_VALUES_H_
