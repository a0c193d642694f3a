#include "interceptors/policy_file/tree_object.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "interceptors/policy_file/nearest_name.h"

namespace forbear {
namespace {

constexpr size_t kNowhere = ~size_t{0};

bool FewAndDifferent(const std::vector<std::string>& names) {
  constexpr size_t kFew = 32;
  if (names.size() > kFew) return false;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (name->find('_') != std::string::npos ||
        std::find(names.begin(), name, *name) != name) {
      return false;
    }
  }
  return true;
}

}  // namespace

TreeObject::TreeObject(const Tree& tree, std::string place, Problems* problems)
    : tree_(&tree),
      place_(std::move(place)),
      problems_(problems),
      is_object_(tree.kind == Tree::Kind::kObject) {
  if (is_object_) {
    asked_.resize(tree.items.size());
    if (!tree.text_format) RefuseTwice();
  } else {
    problems_->Error(place_, absl::StrCat(tree.Show(), " is not an object: ",
                                          "its fields go between { and }"));
  }
}

// In either spelling. Most objects are small and have none: those cost no set.
void TreeObject::RefuseTwice() {
  if (FewAndDifferent(tree_->names)) return;
  absl::flat_hash_set<std::string> known;
  for (size_t i = 0; i < tree_->names.size(); ++i) {
    if (known.insert(CamelCase(tree_->names[i])).second) continue;
    asked_[i] = true;
    problems_->Error(PlaceOf(i), "stands here twice: leave one of them out");
  }
}

const Tree* TreeObject::Find(absl::string_view name) {
  const Tree* const found = FindAll(name);
  if (found == nullptr || !found->repeated) return found;
  problems_->Error(
      Place(name),
      absl::StrCat("stands here ", found->items.size(),
                   " times, and has one value: leave the others out"));
  return nullptr;
}

const Tree* TreeObject::FindAll(absl::string_view name) {
  known_.push_back(tree_->text_format ? std::string(name) : CamelCase(name));
  if (!is_object_) return nullptr;
  const size_t at = IndexOf(name);
  if (at == kNowhere) return nullptr;
  asked_[at] = true;
  const Tree& found = tree_->items[at];
  return found.kind == Tree::Kind::kNull ? nullptr : &found;
}

std::string TreeObject::Place(absl::string_view name) const {
  const size_t at = IndexOf(name);
  const std::string written =
      at == kNowhere ? CamelCase(name) : tree_->names[at];
  return place_.empty() ? written : absl::StrCat(place_, ".", written);
}

std::vector<std::pair<const Tree*, std::string>> TreeObject::List(
    absl::string_view name) {
  std::vector<std::pair<const Tree*, std::string>> items;
  const Tree* const list = FindAll(name);
  if (list == nullptr) return items;
  const std::string place = Place(name);
  if (list->kind == Tree::Kind::kList) {
    for (size_t i = 0; i < list->items.size(); ++i) {
      items.emplace_back(&list->items[i], absl::StrCat(place, "[", i, "]"));
    }
  } else if (list->text_format) {
    items.emplace_back(list, place);
  } else {
    problems_->Error(place, absl::StrCat(list->Show(), " is not a list: put ",
                                         "it between [ and ]"));
  }
  return items;
}

void TreeObject::RefuseRest() {
  for (size_t i = 0; i < asked_.size(); ++i) {
    if (asked_[i]) continue;
    const std::string nearest = NearestName(tree_->names[i], known_);
    problems_->Error(
        PlaceOf(i),
        nearest.empty()
            ? absl::StrCat("unknown field: leave it out; known are ",
                           absl::StrJoin(known_, ", "))
            : absl::StrCat("unknown field; is it ", nearest, "?"));
  }
}

std::string TreeObject::PlaceOf(size_t member) const {
  const std::string name = InOneLine(tree_->names[member].substr(0, 100));
  return place_.empty() ? name : absl::StrCat(place_, ".", name);
}

// Text format knows one spelling of a name, JSON both.
size_t TreeObject::IndexOf(absl::string_view name) const {
  const std::string camel = tree_->text_format ? "" : CamelCase(name);
  for (size_t i = 0; i < tree_->names.size(); ++i) {
    if (tree_->names[i] == name || tree_->names[i] == camel) return i;
  }
  return kNowhere;
}

std::string CamelCase(absl::string_view name) {
  std::string camel;
  bool up = false;
  for (char c : name) {
    if (c == '_') {
      up = true;
      continue;
    }
    camel += up ? absl::ascii_toupper(c) : c;
    up = false;
  }
  return camel;
}

}  // namespace forbear
