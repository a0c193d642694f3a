#include "interceptors/policy/range_check.h"

#include <charconv>
#include <string>

#include "absl/strings/str_cat.h"

namespace forbear {
namespace {

// The shortest text that reads back as `value`: 0.9999999 is not "1".
std::string Shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return std::string(text, end);
}

absl::Status OutOfRangeText(absl::string_view where, absl::string_view field,
                            absl::string_view value, absl::string_view range) {
  return absl::InvalidArgumentError(
      absl::StrCat(where, field, ": ", value, " is out of range ", range));
}

}  // namespace

absl::Status OutOfRange(absl::string_view where, absl::string_view field,
                        double value, absl::string_view range) {
  return OutOfRangeText(where, field, Shortest(value), range);
}

absl::Status OutOfRange(absl::string_view where, absl::string_view field,
                        absl::Duration value, absl::string_view range) {
  return OutOfRangeText(where, field, absl::FormatDuration(value), range);
}

}  // namespace forbear
