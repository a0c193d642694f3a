#include "examples/page/bars.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "examples/page/drawing.h"
#include "examples/page/look.h"
#include "examples/page/text.h"

namespace page {
namespace {

constexpr double kBar = 9;
constexpr double kBetweenBars = 4;
constexpr double kName = 15;
constexpr double kBetweenGroups = 6;

double Largest(const Bars& bars) {
  double largest = bars.until;
  for (const BarGroup& group : bars.groups) {
    for (const double number : group.numbers) {
      if (std::isfinite(number)) largest = std::max(largest, number);
    }
  }
  return largest;
}

double Height(const Bars& bars) {
  double height = 0;
  for (const BarGroup& group : bars.groups) {
    height += kName + kBetweenGroups +
              (kBar + kBetweenBars) * static_cast<double>(group.numbers.size());
  }
  return height;
}

void AddBar(double number, int look, double y, const Bars& bars,
            Drawing* drawing) {
  const bool bounded = std::isfinite(number);
  const double end = bounded ? drawing->X(number) : drawing->right();
  drawing->Add(absl::StrCat("<rect class=\"bar ", LookClass(look), "\" x=\"",
                            Coordinate(drawing->left()), "\" y=\"",
                            Coordinate(y), "\" width=\"",
                            Coordinate(std::max(0.5, end - drawing->left())),
                            "\" height=\"", Coordinate(kBar), "\"/>"));
  drawing->Add(Mark(look, end, y + kBar / 2));
  drawing->AddText(end + 6, y + kBar - 1, "start",
                   bounded ? Number(number, bars.digits) : bars.unbounded);
}

}  // namespace

std::string Svg(const Bars& bars) {
  Drawing::Margins margins;
  margins.left = 1;
  margins.right = 70;
  margins.top = 0;
  margins.bottom = 18;
  Drawing drawing(Height(bars) + margins.bottom, margins);
  drawing.SetX(0, Largest(bars));
  double y = 0;
  for (const BarGroup& group : bars.groups) {
    drawing.AddText(drawing.left(), y + kName - 4, "start", group.name);
    y += kName;
    for (size_t i = 0; i < group.numbers.size(); ++i) {
      AddBar(group.numbers[i], static_cast<int>(i), y, bars, &drawing);
      y += kBar + kBetweenBars;
    }
    y += kBetweenGroups;
  }
  drawing.AddText(drawing.left(), y + 12, "start", bars.unit, "quiet");
  return drawing.Svg(bars.title, bars.description);
}

}  // namespace page
