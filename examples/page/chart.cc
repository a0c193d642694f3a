#include "examples/page/chart.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "examples/page/drawing.h"
#include "examples/page/look.h"
#include "examples/page/text.h"

namespace page {
namespace {

constexpr double kHeight = 190;
constexpr int kMarksOfALine = 7;

// Names of bands stand in as many rows as they need, so that none is written
// over another.
void AddBands(const std::vector<Band>& bands, Drawing* drawing) {
  for (size_t i = 0; i < bands.size(); ++i) {
    const double from = drawing->X(bands[i].from);
    const double until = drawing->X(bands[i].until);
    drawing->Add(absl::StrCat(
        "<rect class=\"band", i % 2 == 0 ? "" : " odd", "\" x=\"",
        Coordinate(from), "\" y=\"", Coordinate(drawing->top()), "\" width=\"",
        Coordinate(std::max(0.0, until - from)), "\" height=\"",
        Coordinate(drawing->bottom() - drawing->top()), "\"/>"));
  }
  // A name may be longer than its band: no band covers it.
  constexpr int kRows = 3;
  double row_ends[kRows] = {};
  for (const Band& band : bands) {
    const double width = kLetter * static_cast<double>(band.name.size() + 1);
    const double start =
        std::max(drawing->left(),
                 std::min(drawing->X(band.from), drawing->right() - width));
    for (int row = 0; row < kRows; ++row) {
      if (start < row_ends[row]) continue;
      row_ends[row] = start + width;
      drawing->AddText(start + 3, drawing->top() + 9 + row * 10, "start",
                       band.name, "band-name");
      break;
    }
  }
}

// Splits at gaps.
std::vector<std::vector<Point>> Pieces(const std::vector<Point>& points) {
  std::vector<std::vector<Point>> pieces(1);
  for (const Point& point : points) {
    if (std::isfinite(point.y)) {
      pieces.back().push_back(point);
    } else if (!pieces.back().empty()) {
      pieces.emplace_back();
    }
  }
  if (pieces.back().empty()) pieces.pop_back();
  return pieces;
}

std::string Path(const std::vector<Point>& points, const Drawing& drawing) {
  std::string path;
  for (const Point& point : points) {
    absl::StrAppend(&path, path.empty() ? "M" : "L",
                    Coordinate(drawing.X(point.x)), ",",
                    Coordinate(drawing.Y(point.y)));
  }
  return path;
}

void AddLine(const Line& line, double y_from, Drawing* drawing) {
  const std::string look = LookClass(line.look);
  std::vector<Point> all;
  for (const std::vector<Point>& piece : Pieces(line.points)) {
    const std::string path = Path(piece, *drawing);
    if (line.filled) {
      drawing->Add(absl::StrCat("<path class=\"area ", look, "\" d=\"", path,
                                "V", Coordinate(drawing->Y(y_from)), "H",
                                Coordinate(drawing->X(piece.front().x)),
                                "z\"/>"));
    }
    drawing->Add(
        absl::StrCat("<path class=\"line ", look, "\" d=\"", path, "\"/>"));
    all.insert(all.end(), piece.begin(), piece.end());
  }
  // Each line has its marks elsewhere, so that equal lines can be told apart.
  const double apart =
      std::max(1.0, static_cast<double>(all.size()) / kMarksOfALine);
  for (double at = apart * (0.2 + 0.2 * (line.look % kLooks));
       at < static_cast<double>(all.size()); at += apart) {
    const Point& point = all[static_cast<size_t>(at)];
    drawing->Add(Mark(line.look, drawing->X(point.x), drawing->Y(point.y)));
  }
}

void AddPeak(const Line& line, Drawing* drawing) {
  const auto lower = [](const Point& a, const Point& b) {
    return std::isfinite(b.y) && (!std::isfinite(a.y) || a.y < b.y);
  };
  const auto peak =
      std::max_element(line.points.begin(), line.points.end(), lower);
  if (peak == line.points.end() || !std::isfinite(peak->y)) return;
  const double x = drawing->X(peak->x);
  const bool at_the_right = x > (drawing->left() + drawing->right()) / 2;
  drawing->Add(Mark(line.look, x, drawing->Y(peak->y)));
  const int digits = peak->y == std::floor(peak->y) ? 0 : 1;
  drawing->AddText(at_the_right ? x - 6 : x + 6,
                   std::max(drawing->Y(peak->y) - 4, drawing->top() + 9),
                   at_the_right ? "end" : "start",
                   absl::StrCat("at most ", Number(peak->y, digits)),
                   absl::StrCat("name ", LookClass(line.look)));
}

}  // namespace

std::string Svg(const Chart& chart) {
  Drawing drawing(kHeight, {});
  drawing.SetX(chart.x.from, chart.x.until);
  drawing.SetY(chart.y.from, chart.y.until);
  AddBands(chart.bands, &drawing);
  drawing.AddYAxis(chart.y.name);
  for (const Line& line : chart.lines) AddLine(line, chart.y.from, &drawing);
  drawing.AddXAxis(chart.x.name);
  if (chart.names_peak && !chart.lines.empty()) {
    AddPeak(chart.lines.front(), &drawing);
  }
  return drawing.Svg(chart.title, chart.description);
}

}  // namespace page
