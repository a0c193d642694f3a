// The course of a storm: healthy, failing fast, hanging, and back.
//
//   absl::StatusOr<Course> course =
//       RunCourse(find, Manner::kForbear, &interrupt);
//
// It starts the shop, places orders at a steady rate, makes routes fail from
// outside, and stops the shop. A line on stdout begins each phase.
//
// Thread-safety: used by one thread.
// Units:         see Course.
// Errors:        a Status that names the server that failed; CANCELLED when the
//                user wanted out. No process is left behind.
#ifndef FORBEAR_EXAMPLES_STORM_COURSE_H_
#define FORBEAR_EXAMPLES_STORM_COURSE_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "examples/storm/interrupt.h"
#include "examples/storm/plan.h"
#include "examples/storm/story.h"

namespace storm {

absl::StatusOr<Course> RunCourse(
    const std::function<std::string(const std::string&)>& find, Manner manner,
    Interrupt* interrupt);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_COURSE_H_
