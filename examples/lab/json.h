// JSON as text, members in the order in which they were set.
//
//   Json full = Json::Object();
//   full.Set("calls", 406).Set("mean", Json::Tenths(4081));
//   std::puts(full.text().c_str());
//
// Thread-safety: a value.
// Units:         none.
// Errors:        none; a number that is not finite becomes null.
#ifndef FORBEAR_EXAMPLES_LAB_JSON_H_
#define FORBEAR_EXAMPLES_LAB_JSON_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace lab {

class Json {
 public:
  Json(int64_t number);          // NOLINT(google-explicit-constructor)
  Json(int number);              // NOLINT(google-explicit-constructor)
  Json(bool value);              // NOLINT(google-explicit-constructor)
  Json(const char* text);        // NOLINT(google-explicit-constructor)
  Json(absl::string_view text);  // NOLINT(google-explicit-constructor)
  static Json Tenths(int64_t tenths);
  static Json Rounded(double number, int digits);
  static Json Null();
  static Json Object();
  static Json Array();

  Json& Set(absl::string_view name, const Json& value);  // Of an object.
  Json& Add(const Json& value);                          // Of an array.

  const std::string& text() const { return text_; }

 private:
  Json() = default;
  void Append(absl::string_view member);

  std::string text_;
};

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_JSON_H_
