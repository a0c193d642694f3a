// What was counted over time, in two courses side by side.
//
//   const Quantity attempts = {
//       "attempts at routes", "attempts in 100 ms",
//       [](const Moment& m) -> double { return m.attempts; }, 0};
//   html += page::Html(Compared(courses, {attempts}, "Attempts", ""));
//
// Thread-safety: pure functions.
// Units:         as each quantity says.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_COMPARISON_H_
#define FORBEAR_EXAMPLES_STORM_COMPARISON_H_

#include <string>
#include <vector>

#include "examples/page/frame.h"
#include "examples/storm/story.h"

namespace storm {

using Courses = std::vector<const Course*>;

// What is drawn of each moment. One that is not finite was not measured.
struct Quantity {
  const char* name;
  const char* unit;  // Of its axis.
  double (*of)(const Moment& moment);
  int digits;
};

bool IsKnown(const Courses& courses, const Quantity& quantity);

// The first quantity is the one that it is about. All courses are drawn on the
// same scale.
page::Figure Compared(const Courses& courses,
                      const std::vector<Quantity>& quantities,
                      const std::string& title, const std::string& note);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_COMPARISON_H_
