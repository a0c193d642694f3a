// Text and numbers as a page shows them.
//
//   Escape("p99 < 5 ms")     // "p99 &lt; 5 ms"
//   Number(15'900)           // "15,900"
//   Number(1.254, 2)         // "1.25"
//   Coordinate(12.5)         // "12.5", for SVG
//
// Thread-safety: pure functions.
// Units:         none.
// Errors:        none; a number that is not finite is shown as a dash.
#ifndef FORBEAR_EXAMPLES_PAGE_TEXT_H_
#define FORBEAR_EXAMPLES_PAGE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace page {

// For the text of an element and for the value of an attribute in quotes.
// What HTML may not contain becomes U+FFFD.
std::string Escape(absl::string_view text);

// With thousands apart, and that many digits after the point.
std::string Number(double number, int digits = 0);

// As few digits as a tenth of a unit needs.
std::string Coordinate(double number);

}  // namespace page

#endif  // FORBEAR_EXAMPLES_PAGE_TEXT_H_
