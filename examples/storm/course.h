// The course of a storm: a bad evening of the shop, phase by phase (plan.h).
//
//   absl::StatusOr<Course> course =
//       RunCourse(find, {Manner::kForbear}, &interrupt);
//
// It starts the shop, places orders at a steady rate, makes routes fail from
// outside, kills payments, sweeps up, and stops the shop. A line on stdout
// begins each phase, unless the course is shown live.
//
// Thread-safety: used by one thread.
// Units:         see Course.
// Errors:        a Status that names the server that failed; CANCELLED when the
//                user wanted out. No process is left behind.
#ifndef FORBEAR_EXAMPLES_STORM_COURSE_H_
#define FORBEAR_EXAMPLES_STORM_COURSE_H_

#include <functional>

#include "absl/status/statusor.h"
#include "examples/storm/interrupt.h"
#include "examples/storm/shop_processes.h"
#include "examples/storm/story.h"

namespace storm {

// Told from time to time what the course came to so far, on a thread of its
// own. Null: nobody is.
using WhileItRuns = std::function<void(const Course& so_far)>;

absl::StatusOr<Course> RunCourse(const ShopProcesses::Find& find,
                                 const ShopOptions& options,
                                 Interrupt* interrupt,
                                 const WhileItRuns& told = nullptr);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_COURSE_H_
