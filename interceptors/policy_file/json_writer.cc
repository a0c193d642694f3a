#include "interceptors/policy_file/json_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "interceptors/policy_file/tree_values.h"

namespace forbear {
namespace {

using Kind = Tree::Kind;

constexpr size_t kLine = 72;

Tree Made(Kind kind) {
  Tree tree;
  tree.kind = kind;
  return tree;
}

std::string NameOf(const Tree& tree, size_t i) {
  return tree.kind == Kind::kObject
             ? absl::StrCat(WriteText(tree.names[i]), ": ")
             : "";
}

std::string OneLine(const Tree& tree) {
  switch (tree.kind) {
    case Kind::kNull:
      return "null";
    case Kind::kFlag:
      return tree.flag ? "true" : "false";
    case Kind::kNumber:
      return tree.text;
    case Kind::kText:
    case Kind::kWord:
      return WriteText(tree.text);
    case Kind::kList:
    case Kind::kObject:
      break;
  }
  std::string line;
  for (size_t i = 0; i < tree.items.size(); ++i) {
    absl::StrAppend(&line, i == 0 ? "" : ", ", NameOf(tree, i),
                    OneLine(tree.items[i]));
  }
  return tree.kind == Kind::kList ? absl::StrCat("[", line, "]")
                                  : absl::StrCat("{", line, "}");
}

void Write(const Tree& tree, const std::string& indent, std::string* out) {
  std::string line = OneLine(tree);
  const bool whole_file = indent.empty();
  if (tree.items.empty() || (!whole_file && line.size() <= kLine)) {
    *out += line;
    return;
  }
  const bool list = tree.kind == Kind::kList;
  const std::string inner = indent + "  ";
  absl::StrAppend(out, list ? "[" : "{", "\n");
  for (size_t i = 0; i < tree.items.size(); ++i) {
    absl::StrAppend(out, inner, NameOf(tree, i));
    Write(tree.items[i], inner, out);
    absl::StrAppend(out, i + 1 < tree.items.size() ? "," : "", "\n");
  }
  absl::StrAppend(out, indent, list ? "]" : "}");
}

}  // namespace

Tree EmptyObject() { return Made(Kind::kObject); }
Tree EmptyList() { return Made(Kind::kList); }

Tree TextTree(absl::string_view text) {
  Tree tree = Made(Kind::kText);
  tree.text = std::string(text);
  return tree;
}

Tree NumberTree(double value) {
  Tree tree = NumberTree(WriteNumber(value));
  tree.number = value;
  return tree;
}

Tree NumberTree(absl::string_view written) {
  Tree tree = Made(Kind::kNumber);
  tree.text = std::string(written);
  return tree;
}

Tree FlagTree(bool value) {
  Tree tree = Made(Kind::kFlag);
  tree.flag = value;
  return tree;
}

Tree& Put(Tree& object, absl::string_view name, Tree value) {
  object.names.emplace_back(name);
  return object.items.emplace_back(std::move(value));
}

Tree& Put(Tree& list, Tree value) {
  return list.items.emplace_back(std::move(value));
}

std::string WriteJson(const Tree& tree) {
  std::string json;
  Write(tree, "", &json);
  return json + "\n";
}

}  // namespace forbear
