#include "examples/page/time_line.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "examples/page/drawing.h"
#include "examples/page/text.h"

namespace page {
namespace {

constexpr double kLane = 26;
constexpr double kTop = 4;
// A stretch that is shorter than this still shows.
constexpr double kShortest = 1.5;

struct Placed {
  const Stretch* stretch;
  int row;
};

// Each in the first row in which it has room.
std::vector<Placed> InRows(const std::vector<Stretch>& stretches, int* rows) {
  std::vector<Placed> placed;
  std::vector<double> ends;
  for (const Stretch& stretch : stretches) {
    const auto free = std::find_if(ends.begin(), ends.end(), [&](double end) {
      return end <= stretch.from;
    });
    const int row = static_cast<int>(free - ends.begin());
    if (free == ends.end()) ends.push_back(0);
    ends[row] = stretch.until;
    placed.push_back({&stretch, row});
  }
  *rows = std::max<int>(1, static_cast<int>(ends.size()));
  return placed;
}

std::string Rect(const char* kind, double x, double y, double width,
                 double height, const std::string& text) {
  return absl::StrCat("<rect class=\"stretch ", kind, "\" x=\"", Coordinate(x),
                      "\" y=\"", Coordinate(y), "\" width=\"",
                      Coordinate(width), "\" height=\"", Coordinate(height),
                      "\"><title>", Escape(text), "</title></rect>");
}

std::string Cross(double x, double y) {
  return absl::StrCat("<path class=\"cross\" d=\"M", Coordinate(x - 2), ",",
                      Coordinate(y - 2), "l4,4m0,-4l-4,4\"/>");
}

std::string DashedLine(double x, double until, double y,
                       const std::string& text) {
  return absl::StrCat("<path class=\"wait\" d=\"M", Coordinate(x), ",",
                      Coordinate(y), "H", Coordinate(until), "\"><title>",
                      Escape(text), "</title></path>");
}

void AddStretch(const Stretch& stretch, double y, double height,
                Drawing* drawing) {
  const double x = drawing->X(stretch.from);
  const double width = std::max(kShortest, drawing->X(stretch.until) - x);
  if (stretch.kind == Stretch::Kind::kWait) {
    drawing->Add(DashedLine(x, x + width, y + height / 2, stretch.text));
    return;
  }
  const bool failed = stretch.kind == Stretch::Kind::kFailed;
  drawing->Add(
      Rect(failed ? "failed" : "done", x, y, width, height, stretch.text));
  if (failed) drawing->Add(Cross(x + width, y + height / 2));
  const double text_width = kLetter * static_cast<double>(stretch.text.size());
  if (height < kLineHeight || text_width > width) return;
  drawing->AddText(x + 4, y + height / 2 + 3, "start", stretch.text,
                   failed ? "" : "on-solid");
}

}  // namespace

std::string Svg(const TimeLine& line) {
  Drawing::Margins margins;
  margins.left = 58;
  margins.top = kTop;
  Drawing drawing(
      kTop + kLane * static_cast<double>(line.lanes.size()) + margins.bottom,
      margins);
  drawing.SetX(line.x.from, line.x.until);
  double y = kTop;
  for (const Lane& lane : line.lanes) {
    drawing.AddText(drawing.left() - 5, y + kLane / 2 + 3, "end", lane.name);
    drawing.Add(absl::StrCat("<path class=\"grid\" d=\"M",
                             Coordinate(drawing.left()), ",", Coordinate(y),
                             "H", Coordinate(drawing.right()), "\"/>"));
    int rows = 1;
    const std::vector<Placed> placed = InRows(lane.stretches, &rows);
    const double row = (kLane - 4) / rows;
    for (const Placed& each : placed) {
      AddStretch(*each.stretch, y + 2 + row * each.row,
                 std::max(1.0, row - 0.5), &drawing);
    }
    y += kLane;
  }
  drawing.AddXAxis(line.x.name);
  return drawing.Svg(line.title, line.description);
}

std::string TimeLineLegend() {
  const auto item = [](const std::string& drawing, const char* text) {
    return absl::StrCat("<li><svg viewBox=\"0 0 34 10\" aria-hidden=\"true\">",
                        drawing, "</svg>", text, "</li>");
  };
  return absl::StrCat("<ul class=\"legend\">",
                      item(Rect("done", 1, 1, 30, 8, ""), "answered"),
                      item(Rect("failed", 1, 1, 28, 8, "") + Cross(29, 5),
                           "failed, or given up"),
                      item(DashedLine(1, 32, 5, ""), "waits"), "</ul>\n");
}

}  // namespace page
