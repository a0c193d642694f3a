#include "interceptors/policy_file/field_reader.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace forbear {
namespace {

using Kind = Tree::Kind;

template <typename T>
void Keep(const std::optional<T>& read, T& value) {
  if (read) value = *read;
}

// A code that JSON has as a name: "ABORTED", or "10".
Tree KeyOf(absl::string_view text) {
  Tree tree;
  int number;
  tree.kind = absl::SimpleAtoi(text, &number) ? Kind::kNumber : Kind::kText;
  if (tree.kind == Kind::kNumber) tree.number = number;
  tree.text = std::string(text);
  return tree;
}

}  // namespace

FieldReader::FieldReader(const Tree& tree, std::string place,
                         Problems* problems)
    : problems_(problems) {
  objects_.emplace_back(tree, std::move(place), problems);
}

void FieldReader::Duration(absl::string_view name, absl::Duration& value,
                           DurationRange range) {
  const Tree* const found = object().Find(name);
  if (found == nullptr) return;
  Keep(ReadDuration(*found, object().Place(name), range, problems_), value);
}

void FieldReader::Number(absl::string_view name, double& value,
                         NumberRange range) {
  const Tree* const found = object().Find(name);
  if (found == nullptr) return;
  Keep(ReadNumber(*found, object().Place(name), range, problems_), value);
}

void FieldReader::Whole(absl::string_view name, int64_t& value,
                        NumberRange range) {
  const Tree* const found = object().Find(name);
  if (found == nullptr) return;
  Keep(ReadWhole(*found, object().Place(name), range, problems_), value);
}

void FieldReader::Flag(absl::string_view name, bool& value) {
  const Tree* const found = object().Find(name);
  if (found == nullptr) return;
  Keep(ReadFlag(*found, object().Place(name), problems_), value);
}

void FieldReader::MaybeFlag(absl::string_view name,
                            std::optional<bool>& value) {
  const Tree* const found = object().Find(name);
  if (found == nullptr) return;
  value = ReadFlag(*found, object().Place(name), problems_);
}

void FieldReader::Choice(absl::string_view name, int& value,
                         absl::Span<const absl::string_view> names) {
  const Tree* const found = object().Find(name);
  if (found == nullptr) return;
  Keep(Choose(*found, object().Place(name), names), value);
}

void FieldReader::Texts(absl::string_view name,
                        std::vector<std::string>& value) {
  for (const auto& [item, place] : object().List(name)) {
    const auto text = ReadText(*item, place, problems_);
    if (text) value.push_back(*text);
  }
}

std::optional<int> FieldReader::Choose(
    const Tree& tree, absl::string_view place,
    absl::Span<const absl::string_view> names) {
  const bool named = tree.kind == Kind::kText || tree.kind == Kind::kWord;
  for (size_t i = 0; named && i < names.size(); ++i) {
    if (absl::EqualsIgnoreCase(tree.text, names[i])) return i;
  }
  problems_->Error(place, absl::StrCat(tree.Show(), " is none of ",
                                       absl::StrJoin(names, ", ")));
  return std::nullopt;
}

void FieldReader::Classes(StatusClasses& value) {
  std::vector<absl::StatusCode> codes;
  for (const auto& [item, place] : object().List("retryable_codes")) {
    const auto code = ReadCode(*item, place, problems_);
    if (code == absl::StatusCode::kOk) {
      problems_->Error(place, "OK is no failure, and never retried");
    } else if (code) {
      codes.push_back(*code);
    }
  }
  const Tree* const list = object().FindAll("retryable_codes");
  if (list != nullptr && list->kind == Kind::kList && list->items.empty()) {
    problems_->Error(object().Place("retryable_codes"),
                     "is empty: name a code, or leave it out");
  }
  if (!codes.empty()) value.List(codes);

  const Tree* const classes = object().FindAll("classes");
  if (classes == nullptr) return;
  std::set<absl::StatusCode> given;
  if (!classes->text_format) {
    TreeObject map(*classes, object().Place("classes"), problems_);
    for (size_t i = 0; i < classes->names.size(); ++i) {
      SetClass(KeyOf(classes->names[i]), classes->items[i],
               absl::StrCat(map.place(), ".", InOneLine(classes->names[i])),
               given, value);
    }
    return;
  }
  for (const auto& [item, place] : object().List("classes")) {
    TreeObject entry(*item, place, problems_);
    const Tree* const code = entry.Find("key");
    const Tree* const name = entry.Find("value");
    entry.RefuseRest();
    if (!entry.is_object()) continue;
    if (code == nullptr || name == nullptr) {
      problems_->Error(place, "lacks its key or its value");
    } else {
      SetClass(*code, *name, place, given, value);
    }
  }
}

void FieldReader::SetClass(const Tree& code, const Tree& value,
                           absl::string_view place,
                           std::set<absl::StatusCode>& given,
                           StatusClasses& classes) {
  const auto read = ReadCode(code, place, problems_);
  const auto chosen = Choose(value, place, kClassNames);
  if (read == absl::StatusCode::kOk) {
    problems_->Error(place, "OK is no failure, and has no class");
  } else if (read && !given.insert(*read).second) {
    problems_->Error(place, absl::StrCat(WriteCode(*read),
                                         " has a class already: leave one of "
                                         "them out"));
  } else if (read && chosen) {
    classes.Set(*read, static_cast<StatusClass>(*chosen));
  }
}

void FieldReader::Refuse(absl::string_view name, absl::string_view why) {
  if (object().Find(name) != nullptr) {
    problems_->Error(object().Place(name), why);
  }
}

bool FieldReader::Enter(absl::string_view name, bool) {
  const Tree* const found = object().Find(name);
  if (found == nullptr) return false;
  objects_.emplace_back(*found, object().Place(name), problems_);
  return true;
}

void FieldReader::Leave() {
  objects_.back().RefuseRest();
  objects_.pop_back();
}

}  // namespace forbear
