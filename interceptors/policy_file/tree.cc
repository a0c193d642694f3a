#include "interceptors/policy_file/tree.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace forbear {
namespace {

std::string Shortened(absl::string_view text) {
  constexpr size_t kShown = 60;
  if (text.size() <= kShown) return InOneLine(text);
  return absl::StrCat(InOneLine(text.substr(0, kShown)), "...");
}

}  // namespace

std::string InOneLine(absl::string_view text) {
  return absl::StrReplaceAll(absl::CHexEscape(text),
                             {{"\\'", "'"}, {"\\\"", "\""}});
}

const Tree* Tree::Find(absl::string_view name) const {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return &items[i];
  }
  return nullptr;
}

std::string Tree::Show() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kFlag:
      return flag ? "true" : "false";
    case Kind::kNumber:
    case Kind::kWord:
      return Shortened(text);
    case Kind::kText:
      return absl::StrCat("\"", Shortened(text), "\"");
    case Kind::kList:
      return "a list";
    case Kind::kObject:
      return "an object";
  }
  return "";
}

}  // namespace forbear
