// A file as it was written, before anybody asks what it means.
//
// JSON and text format are read into the same tree, so that everything after
// (names, ranges, meaning) is written once and can say where a value stood.
//
//   absl::StatusOr<Tree> tree = ParseJson(text);
//   tree->Find("methodConfig");
//
// Thread-safety: a value.
// Units:         none: numbers are as written.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_TREE_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_TREE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace forbear {

struct Tree {
  enum class Kind : uint8_t {
    kNull,
    kFlag,
    kNumber,
    kText,  // In quotes.
    kWord,  // Text format alone: the name of an enum's value.
    kList,
    kObject,
  };

  // The member called `name`; null if there is none.
  const Tree* Find(absl::string_view name) const;

  // The value as an error message shows it: short, in one line of ASCII.
  std::string Show() const;

  Kind kind = Kind::kNull;
  bool flag = false;
  // Text format, kList: a field that was given more than once.
  bool repeated = false;
  // Text format writes a list of one without brackets, and a map as a list.
  bool text_format = false;
  double number = 0;
  std::string text;  // kText and kWord, and kNumber as written.
  // kObject: of each of `items`. JSON may have a name twice.
  std::vector<std::string> names;
  std::vector<Tree> items;  // kList and kObject.
};

// `text` in ASCII without line breaks, for error messages.
std::string InOneLine(absl::string_view text);

// No file that means anything is deeper; a parser stops here.
inline constexpr int kDeepestTree = 32;

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_TREE_H_
