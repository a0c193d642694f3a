// How pages look: their CSS.
//
//   absl::StrAppend(&html, "<style>", kStyle, "</style>");
//
// The colours keep apart for the colour-blind, each 4.5 to 1 and more from its
// ground: letters are drawn in them, too.
//
// Thread-safety: a constant.
// Units:         sizes inside drawings are those of drawing.h.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_PAGE_STYLE_H_
#define FORBEAR_EXAMPLES_PAGE_STYLE_H_

namespace page {

extern const char kStyle[];

}  // namespace page

#endif  // FORBEAR_EXAMPLES_PAGE_STYLE_H_
