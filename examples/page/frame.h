// A page on its own: one file that asks no network for anything.
//
//   Frame frame;
//   frame.title = "The storm";
//   frame.sections = {{"orders", "Some orders", html}};
//   WriteFile("storm.html", Html(frame));
//
// It follows the reader's choice of light or dark, fits a phone, can be walked
// through by keyboard, and prints on white.
//
// Thread-safety: pure functions.
// Units:         none.
// Errors:        none; titles are escaped, `lead` and bodies are HTML already.
#ifndef FORBEAR_EXAMPLES_PAGE_FRAME_H_
#define FORBEAR_EXAMPLES_PAGE_FRAME_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "examples/page/table.h"

namespace page {

struct Section {
  std::string id;
  std::string title;
  std::string body;
};

struct Frame {
  std::string title;
  std::string lead;  // Before the first section.
  std::vector<Section> sections;
};

std::string Html(const Frame& frame);

std::string Paragraph(absl::string_view text, absl::string_view kind = "");

// Drawings side by side where there is room, what is to be known about them
// above, and their numbers below.
struct Figure {
  std::string title;
  std::string note;
  std::string legend;                 // HTML, or nothing.
  std::vector<std::string> names;     // Of the drawings, or nothing.
  std::vector<std::string> drawings;  // SVG.
  Table numbers;
};

std::string Html(const Figure& figure);

// Two figures of one drawing each, side by side where there is room.
std::string Beside(const Figure& one, const Figure& other);

}  // namespace page

#endif  // FORBEAR_EXAMPLES_PAGE_FRAME_H_
