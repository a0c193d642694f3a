// The paper of a chart: what is drawn around lines and bars.
//
//   Drawing drawing(200, {});
//   drawing.SetX(0, 24);
//   drawing.AddXAxis("s");
//   drawing.Add(absl::StrCat("<circle cx=\"", drawing.X(3), "\" .../>"));
//   html += drawing.Svg("title", "description");
//
// Thread-safety: a value.
// Units:         X and Y take those of the axes and give those of the drawing,
//                which is kWidth wide and is shown as wide as there is room.
// Errors:        none; all texts are escaped, but for what Add is given.
#ifndef FORBEAR_EXAMPLES_PAGE_DRAWING_H_
#define FORBEAR_EXAMPLES_PAGE_DRAWING_H_

#include <string>

#include "absl/strings/string_view.h"

namespace page {

// The size of letters is the page's: larger where the page is small. So there
// is room around for the larger.
inline constexpr double kWidth = 360;
inline constexpr double kLetter = 5.6;  // Its width at most.
inline constexpr double kLineHeight = 12;

class Drawing {
 public:
  struct Margins {
    double left = 40;
    double top = 18;
    double right = 10;
    double bottom = 32;
  };

  Drawing(double height, Margins margins) : height_(height), room_(margins) {}

  void SetX(double from, double until) { x_from_ = from, x_until_ = until; }
  void SetY(double from, double until) { y_from_ = from, y_until_ = until; }

  double X(double x) const;
  double Y(double y) const;
  double left() const { return room_.left; }
  double right() const { return kWidth - room_.right; }
  double top() const { return room_.top; }
  double bottom() const { return height_ - room_.bottom; }

  void AddXAxis(absl::string_view name);
  void AddYAxis(absl::string_view name);

  // `anchor` is start, middle or end; `kind` a class of the page's.
  void AddText(double x, double y, absl::string_view anchor,
               absl::string_view text, absl::string_view kind = "");
  void Add(absl::string_view svg);

  std::string Svg(absl::string_view title, absl::string_view description) const;

 private:
  double height_;
  Margins room_;
  double x_from_ = 0;
  double x_until_ = 1;
  double y_from_ = 0;
  double y_until_ = 1;
  std::string content_;
};

}  // namespace page

#endif  // FORBEAR_EXAMPLES_PAGE_DRAWING_H_
