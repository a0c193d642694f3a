// All that is wrong with a file, each with its place.
//
//   Problems problems("shop.json");
//   problems.Error("methods[2].attemptTimeout",
//                  "\"0s\" is out of range, must be 0.001s or more");
//   return problems.Status();
//
// Thread-safety: thread-compatible.
// Units:         none.
// Errors:        Status() is INVALID_ARGUMENT with a line for each error, or OK
//                if there is none.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_PROBLEMS_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_PROBLEMS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace forbear {

class Problems {
 public:
  // `file` begins each line; empty: nothing does.
  explicit Problems(absl::string_view file) : file_(file) {}

  // An empty place is the file as a whole.
  void Error(absl::string_view place, absl::string_view what);
  // Legal, and not quite what it seems.
  void Warning(absl::string_view place, absl::string_view what);

  int errors() const { return errors_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  absl::Status Status() const;

 private:
  std::string Line(absl::string_view place, absl::string_view what) const;

  const std::string file_;
  int errors_ = 0;
  std::vector<std::string> lines_;  // Of the first errors.
  std::vector<std::string> warnings_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_PROBLEMS_H_
