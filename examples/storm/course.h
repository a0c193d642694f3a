// The course of a storm: healthy, failing fast, hanging, and back.
//
//   absl::StatusOr<Figures> figures =
//       RunCourse(find, Manner::kForbear, &interrupt);
//
// It starts the shop, places orders at a steady rate, makes routes fail from
// outside, and stops the shop. A line on stdout begins each phase.
//
// Thread-safety: used by one thread.
// Units:         see Figures.
// Errors:        a Status that names the server that failed; CANCELLED when the
//                user wanted out. No process is left behind.
#ifndef FORBEAR_EXAMPLES_STORM_COURSE_H_
#define FORBEAR_EXAMPLES_STORM_COURSE_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "examples/storm/figures.h"
#include "examples/storm/interrupt.h"
#include "examples/storm/shop_processes.h"
#include "proto/shop_admin.pb.h"

namespace storm {

constexpr int kOrdersPerSecond = 58;

struct Phase {
  const char* name;
  shop::Fault fault;
  absl::Duration length;  // The last ends once the shop has recovered.
};
constexpr Phase kCourse[kPhases] = {
    {"healthy", shop::FAULT_NONE, absl::Seconds(3)},
    {"failing fast", shop::FAULT_FAILING, absl::Seconds(4)},
    {"hanging", shop::FAULT_HANGING, absl::Seconds(4)},
    {"recovering", shop::FAULT_NONE, absl::Seconds(10)},
};

absl::StatusOr<Figures> RunCourse(
    const std::function<std::string(const std::string&)>& find, Manner manner,
    Interrupt* interrupt);

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_COURSE_H_
