#include "interceptors/policy_file/json_tree.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace forbear {
namespace {

// "3:17: " for the byte at `offset`.
std::string Place(absl::string_view text, size_t offset) {
  const absl::string_view before = text.substr(0, offset);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0.
  return absl::StrCat(1 + std::count(before.begin(), before.end(), '\n'), ":",
                      1 + offset - line_start, ": ");
}

// What nlohmann says, less its own code and place: "syntax error while ...".
absl::string_view Reason(absl::string_view message) {
  const size_t code = message.find("] ");
  if (code != absl::string_view::npos) message.remove_prefix(code + 2);
  const size_t place = message.find(", column ");
  const size_t reason =
      place == absl::string_view::npos ? place : message.find(": ", place);
  return reason == absl::string_view::npos ? message
                                           : message.substr(reason + 2);
}

// Builds a tree from what the parser meets, one value after the other.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(absl::string_view text) : text_(text) {}

  absl::StatusOr<Tree> Result() && {
    if (!error_.ok()) return error_;
    return std::move(root_);
  }

  bool null() override { return Add(Tree::Kind::kNull); }
  bool boolean(bool value) override {
    const bool added = Add(Tree::Kind::kFlag);
    if (added) last_->flag = value;
    return added;
  }
  bool number_integer(number_integer_t value) override {
    return Number(static_cast<double>(value), absl::StrCat(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Number(static_cast<double>(value), absl::StrCat(value));
  }
  bool number_float(number_float_t value, const string_t& written) override {
    return Number(value, written);
  }
  bool string(string_t& value) override {
    const bool added = Add(Tree::Kind::kText);
    if (added) last_->text = std::move(value);
    return added;
  }
  bool binary(binary_t&) override { return false; }  // Not in JSON.

  bool start_object(size_t) override { return Open(Tree::Kind::kObject); }
  bool start_array(size_t) override { return Open(Tree::Kind::kList); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    open_.back()->names.push_back(std::move(name));
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const size_t offset = std::min(position == 0 ? 0 : position - 1,  //
                                   text_.size());
    error_ = absl::InvalidArgumentError(
        absl::StrCat(Place(text_, offset), InOneLine(Reason(error.what()))));
    return false;
  }

 private:
  bool Fail(absl::string_view what) {
    error_ = absl::InvalidArgumentError(std::string(what));
    return false;
  }

  bool Add(Tree::Kind kind) {
    last_ = open_.empty() ? &root_ : &open_.back()->items.emplace_back();
    last_->kind = kind;
    return true;
  }

  bool Number(double value, std::string written) {
    Add(Tree::Kind::kNumber);
    last_->number = value;
    last_->text = std::move(written);
    return true;
  }

  bool Open(Tree::Kind kind) {
    if (open_.size() == kDeepestTree) {
      return Fail(absl::StrCat(Outermost(), "is nested deeper than ",
                               kDeepestTree, ", which no policy is"));
    }
    Add(kind);
    open_.push_back(last_);
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  // Where the value is that is open now: "methods[0].backoff: ", or how that
  // begins.
  std::string Outermost() const {
    constexpr size_t kShown = 3;
    std::string place;
    for (size_t i = 0; i < std::min(open_.size(), kShown); ++i) {
      if (open_[i]->kind == Tree::Kind::kList) {
        absl::StrAppend(&place, "[", open_[i]->items.size() - 1, "]");
      } else {
        absl::StrAppend(&place, place.empty() ? "" : ".",
                        InOneLine(open_[i]->names.back().substr(0, 60)));
      }
    }
    return absl::StrCat(place, place.empty() ? "" : ": ");
  }

  const absl::string_view text_;
  Tree root_;
  Tree* last_ = nullptr;
  std::vector<Tree*> open_;  // A tree's siblings come after it: it stays.
  absl::Status error_;
};

}  // namespace

absl::StatusOr<Tree> ParseJson(absl::string_view text) {
  Builder builder(text);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).Result();
}

}  // namespace forbear
