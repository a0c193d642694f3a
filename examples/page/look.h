// How the n-th of several things is drawn: by colour, dash and mark, so that
// none of the three has to be seen.
//
//   absl::StrAppend(&svg, "<path class=\"line s", n, "\" d=\"...\"/>",
//                   Mark(n, x, y));
//
// The classes s0 to s4 are the page's: frame.h has their colours and dashes.
//
// Thread-safety: pure functions.
// Units:         those of the drawing.
// Errors:        none; looks repeat after kLooks.
#ifndef FORBEAR_EXAMPLES_PAGE_LOOK_H_
#define FORBEAR_EXAMPLES_PAGE_LOOK_H_

#include <string>
#include <vector>

namespace page {

inline constexpr int kLooks = 5;

// "s0" and so on.
std::string LookClass(int n);

// A circle, a square, a triangle, a diamond or a cross, around a point.
std::string Mark(int n, double x, double y);

// Which line, dash and mark stand for which name. For several charts at once.
std::string Legend(const std::vector<std::string>& names);

}  // namespace page

#endif  // FORBEAR_EXAMPLES_PAGE_LOOK_H_
