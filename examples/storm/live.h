// A storm in the terminal while it runs.
//
// In a terminal a few lines are drawn, in place, each with its last second and
// the seconds before it as bars; orders and attempts have one scale. Where the
// output is none, a plain line is printed for each second, once.
//
//   Live live(stdout, TerminalWidth(stdout));
//   live.Show(so_far);   // Again and again; phases and moments are enough.
//
// "Good" are answers that have come by then: those of the last seconds may
// still come.
//
// Thread-safety: used by one thread at a time.
// Units:         seconds of the course; a column for each code point.
// Errors:        none; what the output does not take is lost.
#ifndef FORBEAR_EXAMPLES_STORM_LIVE_H_
#define FORBEAR_EXAMPLES_STORM_LIVE_H_

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "examples/storm/story.h"

namespace storm {

// Its columns; 0 if it is no terminal.
int TerminalWidth(std::FILE* out);

class Live {
 public:
  // `width` as of TerminalWidth().
  Live(std::FILE* out, int width) : out_(out), width_(width) {}

  // Of the same course each time; another is drawn by another Live, below.
  void Show(const Course& so_far);

 private:
  void Draw(const Course& so_far);
  void SayNewSeconds(const Course& so_far);

  std::FILE* const out_;
  const int width_;
  size_t drawn_ = 0;  // Lines, above the cursor.
  size_t said_ = 0;   // Seconds.
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_LIVE_H_
