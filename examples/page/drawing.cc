#include "examples/page/drawing.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/page/text.h"
#include "examples/page/ticks.h"

namespace page {
namespace {

double Along(double value, double from, double until) {
  return until > from ? (value - from) / (until - from) : 0;
}

}  // namespace

double Drawing::X(double x) const {
  return left() + Along(x, x_from_, x_until_) * (right() - left());
}

double Drawing::Y(double y) const {
  return bottom() - Along(y, y_from_, y_until_) * (bottom() - top());
}

void Drawing::AddXAxis(absl::string_view name) {
  const std::vector<double> ticks = Ticks(x_from_, x_until_, 6);
  for (const double tick : ticks) {
    AddText(X(tick), bottom() + 11, "middle", Number(tick, Digits(ticks)));
  }
  AddText(right(), bottom() + 24, "end", name, "quiet");
  Add(absl::StrCat("<path class=\"axis\" d=\"M", Coordinate(left()), ",",
                   Coordinate(bottom()), "H", Coordinate(right()), "\"/>"));
}

void Drawing::AddYAxis(absl::string_view name) {
  const std::vector<double> ticks = Ticks(y_from_, y_until_, 4);
  for (const double tick : ticks) {
    AddText(left() - 4, Y(tick) + 3, "end", Number(tick, Digits(ticks)));
    Add(absl::StrCat("<path class=\"grid\" d=\"M", Coordinate(left()), ",",
                     Coordinate(Y(tick)), "H", Coordinate(right()), "\"/>"));
  }
  AddText(2, 9, "start", name, "quiet");
}

void Drawing::AddText(double x, double y, absl::string_view anchor,
                      absl::string_view text, absl::string_view kind) {
  absl::StrAppend(&content_, "<text x=\"", Coordinate(x), "\" y=\"",
                  Coordinate(y), "\" text-anchor=\"", anchor, "\"");
  if (!kind.empty()) absl::StrAppend(&content_, " class=\"", kind, "\"");
  absl::StrAppend(&content_, ">", Escape(text), "</text>\n");
}

void Drawing::Add(absl::string_view svg) {
  absl::StrAppend(&content_, svg, "\n");
}

std::string Drawing::Svg(absl::string_view title,
                         absl::string_view description) const {
  return absl::StrCat("<svg class=\"drawing\" role=\"img\" viewBox=\"0 0 ",
                      Coordinate(kWidth), " ", Coordinate(height_),
                      "\" aria-label=\"", Escape(title), "\">\n<title>",
                      Escape(title), "</title>\n<desc>", Escape(description),
                      "</desc>\n", content_, "</svg>\n");
}

}  // namespace page
