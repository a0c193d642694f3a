#include "examples/page/text.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace page {

std::string Escape(absl::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (c == '\'') {
      escaped += "&#39;";
    } else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) {
      escaped += "\xEF\xBF\xBD";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Number(double number, int digits) {
  if (!std::isfinite(number)) return "–";
  std::string text = absl::StrFormat("%.*f", digits, std::abs(number));
  const size_t point = text.find('.');
  int at = static_cast<int>(point == std::string::npos ? text.size() : point);
  for (at -= 3; at > 0; at -= 3) text.insert(at, ",");
  const bool is_zero = text.find_first_not_of("0.,") == std::string::npos;
  return number < 0 && !is_zero ? "−" + text : text;
}

std::string Coordinate(double number) {
  const std::string text = absl::StrFormat("%.1f", number);
  return std::string(absl::StripSuffix(text == "-0.0" ? "0.0" : text, ".0"));
}

}  // namespace page
