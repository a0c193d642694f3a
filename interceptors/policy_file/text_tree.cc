#include "interceptors/policy_file/text_tree.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace forbear {
namespace {

using google::protobuf::io::ArrayInputStream;
using google::protobuf::io::Tokenizer;

// Keeps the first error: those after it follow from it.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& what) override {
    if (!error_.ok()) return;
    error_ = absl::InvalidArgumentError(
        absl::StrCat(line + 1, ":", column + 1, ": ", InOneLine(what)));
  }
  const absl::Status& error() const { return error_; }

 private:
  absl::Status error_;
};

class Parser {
 public:
  explicit Parser(absl::string_view text)
      : stream_(text.data(), static_cast<int>(text.size())),
        tokens_(&stream_, &error_) {
    tokens_.set_comment_style(Tokenizer::SH_COMMENT_STYLE);
    tokens_.set_require_space_after_number(false);
    tokens_.set_allow_multiline_strings(true);
    tokens_.Next();
  }

  absl::StatusOr<Tree> File() {
    Tree tree = Object("");
    const absl::Status& error = error_.error();
    if (error.ok() || !tree.items.empty()) {
      return error.ok() ? absl::StatusOr<Tree>(std::move(tree)) : error;
    }
    // Who meant JSON learns why it was not read as that.
    return absl::InvalidArgumentError(absl::StrCat(
        error.message(), " (read as text format: JSON begins with a brace)"));
  }

 private:
  bool AtEnd() { return tokens_.current().type == Tokenizer::TYPE_END; }
  bool Failed() { return !error_.error().ok(); }
  bool At(absl::string_view symbol) { return tokens_.current().text == symbol; }
  bool Take(absl::string_view symbol) {
    if (!At(symbol) || tokens_.current().type == Tokenizer::TYPE_STRING) {
      return false;
    }
    tokens_.Next();
    return true;
  }
  void Fail(absl::string_view what) {
    error_.AddError(tokens_.current().line, tokens_.current().column,
                    std::string(what));
  }
  void Expected(absl::string_view what) {
    Fail(absl::StrCat(
        AtEnd() ? "the end of the file"
                : absl::StrCat("'", tokens_.current().text.substr(0, 60), "'"),
        " stands where ", what, " should"));
  }

  // Fields up to `end`, which is taken; "" is the end of the file.
  Tree Object(absl::string_view end) {
    Tree tree = Made(Tree::Kind::kObject);
    if (depth_ == kDeepestTree) {
      Fail(absl::StrCat("is nested deeper than ", kDeepestTree,
                        ", which no policy is"));
    }
    ++depth_;
    absl::flat_hash_map<std::string, size_t> known;
    while (!Failed() && !(end.empty() ? AtEnd() : Take(end))) {
      if (tokens_.current().type != Tokenizer::TYPE_IDENTIFIER) {
        Expected("the name of a field");
        break;
      }
      std::string name = tokens_.current().text;
      tokens_.Next();
      const bool colon = Take(":");
      if (!colon && !At("{") && !At("<")) Expected("':'");
      if (Failed()) break;
      Tree value = Value();
      const auto [at, first] = known.try_emplace(name, tree.items.size());
      if (first) {
        tree.names.push_back(std::move(name));
        tree.items.push_back(std::move(value));
      } else {
        Append(tree.items[at->second], std::move(value));
      }
      Take(",") || Take(";");
    }
    --depth_;
    return tree;
  }

  // A field that is given again holds all its values.
  void Append(Tree& known, Tree value) {
    if (known.kind != Tree::Kind::kList) {
      Tree list = Made(Tree::Kind::kList);
      list.repeated = true;
      list.items.push_back(std::move(known));
      known = std::move(list);
    }
    if (value.kind != Tree::Kind::kList) {
      known.items.push_back(std::move(value));
      return;
    }
    for (Tree& item : value.items) known.items.push_back(std::move(item));
  }

  Tree Value() {
    if (Take("{")) return Object("}");
    if (Take("<")) return Object(">");
    if (Take("[")) return List();
    return Scalar();
  }

  Tree List() {
    Tree tree = Made(Tree::Kind::kList);
    while (!Failed() && !Take("]")) {
      if (At("[")) {
        Expected("a value");  // No list holds lists.
        break;
      }
      tree.items.push_back(Value());
      if (!Take(",") && !At("]") && !Failed()) Expected("',' or ']'");
    }
    return tree;
  }

  Tree Scalar() {
    const bool minus = Take("-");
    const Tokenizer::Token token = tokens_.current();
    switch (token.type) {
      case Tokenizer::TYPE_STRING: {
        Tree tree = Made(Tree::Kind::kText);
        while (tokens_.current().type == Tokenizer::TYPE_STRING) {
          Tokenizer::ParseStringAppend(tokens_.current().text, &tree.text);
          tokens_.Next();
        }
        if (minus) Expected("a number");
        return tree;
      }
      case Tokenizer::TYPE_INTEGER:
      case Tokenizer::TYPE_FLOAT:
        tokens_.Next();
        return Number(minus, token.text);
      case Tokenizer::TYPE_IDENTIFIER:
        tokens_.Next();
        return Word(minus ? absl::StrCat("-", token.text) : token.text);
      default:
        Expected("a value");
        return Tree();
    }
  }

  Tree Number(bool minus, const std::string& written) {
    Tree tree = Made(Tree::Kind::kNumber);
    tree.text = absl::StrCat(minus ? "-" : "", written);
    google::protobuf::uint64 whole;
    tree.number = Tokenizer::ParseInteger(written, ~uint64_t{0}, &whole)
                      ? static_cast<double>(whole)
                      : Tokenizer::ParseFloat(written);
    if (minus) tree.number = -tree.number;
    return tree;
  }

  Tree Word(std::string word) {
    Tree tree = Made(Tree::Kind::kWord);
    if (word == "true" || word == "false") {
      tree.kind = Tree::Kind::kFlag;
      tree.flag = word == "true";
    }
    tree.text = std::move(word);
    return tree;
  }

  static Tree Made(Tree::Kind kind) {
    Tree tree;
    tree.kind = kind;
    tree.text_format = true;
    return tree;
  }

  FirstError error_;
  ArrayInputStream stream_;
  Tokenizer tokens_;
  int depth_ = 0;
};

}  // namespace

absl::StatusOr<Tree> ParseTextFormat(absl::string_view text) {
  return Parser(text).File();
}

}  // namespace forbear
