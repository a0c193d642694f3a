#include "examples/lab/json.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace lab {
namespace {

std::string Quoted(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&quoted, "\\u%04x", c);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

Json::Json(int64_t number) : text_(absl::StrCat(number)) {}
Json::Json(int number) : text_(absl::StrCat(number)) {}
Json::Json(bool value) : text_(value ? "true" : "false") {}
Json::Json(const char* text) : text_(Quoted(text)) {}
Json::Json(absl::string_view text) : text_(Quoted(text)) {}

Json Json::Tenths(int64_t tenths) {
  return Rounded(static_cast<double>(tenths) / 10, 1);
}

Json Json::Rounded(double number, int digits) {
  Json json;
  json.text_ = std::isfinite(number) ? absl::StrFormat("%.*f", digits, number)
                                     : std::string("null");
  return json;
}

Json Json::Null() {
  Json json;
  json.text_ = "null";
  return json;
}

Json Json::Object() {
  Json json;
  json.text_ = "{}";
  return json;
}

Json Json::Array() {
  Json json;
  json.text_ = "[]";
  return json;
}

Json& Json::Set(absl::string_view name, const Json& value) {
  Append(absl::StrCat(Quoted(name), ": ", value.text_));
  return *this;
}

Json& Json::Add(const Json& value) {
  Append(value.text_);
  return *this;
}

// Lists of numbers stay on one line; all else has a line for each member.
void Json::Append(absl::string_view member) {
  const char close = text_.back();
  const bool first = text_.size() == 2;
  const bool flat =
      close == ']' && member.find_first_of("{\n") == absl::string_view::npos;
  text_.pop_back();
  if (!flat && !first) text_.pop_back();  // The line break before the close.
  absl::StrAppend(&text_, first ? "" : (flat ? ", " : ","), flat ? "" : "\n  ",
                  absl::StrReplaceAll(member, {{"\n", "\n  "}}),
                  flat ? "" : "\n");
  text_ += close;
}

}  // namespace lab
