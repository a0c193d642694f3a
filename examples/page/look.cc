#include "examples/page/look.h"

#include "absl/strings/str_cat.h"
#include "examples/page/text.h"

namespace page {
namespace {

// Each within 3 units of its middle.
constexpr const char* kMarks[kLooks] = {
    "m-2.4,0a2.4,2.4 0 1,0 4.8,0a2.4,2.4 0 1,0 -4.8,0z",
    "m-2.2,-2.2h4.4v4.4h-4.4z",
    "m0,-2.9l2.8,5h-5.6z",
    "m0,-3l3,3l-3,3l-3,-3z",
    "m-2.4,-2.4l4.8,4.8m0,-4.8l-4.8,4.8",
};

}  // namespace

std::string LookClass(int n) { return absl::StrCat("s", n % kLooks); }

std::string Mark(int n, double x, double y) {
  return absl::StrCat("<path class=\"mark ", LookClass(n), "\" d=\"M",
                      Coordinate(x), ",", Coordinate(y), kMarks[n % kLooks],
                      "\"/>");
}

std::string Legend(const std::vector<std::string>& names) {
  std::string html = "<ul class=\"legend\">";
  for (size_t i = 0; i < names.size(); ++i) {
    const int n = static_cast<int>(i);
    absl::StrAppend(&html,
                    "<li><svg viewBox=\"0 0 34 8\" aria-hidden=\"true\">"
                    "<path class=\"line ",
                    LookClass(n), "\" d=\"M0,4H34\"/>", Mark(n, 17, 4),
                    "</svg>", Escape(names[i]), "</li>");
  }
  return html + "</ul>\n";
}

}  // namespace page
