// The one real clock of the library.
//
// It is the steady clock: nobody can set it, so a deadline measured on it
// cannot jump. Only differences between two of its instants mean anything;
// they are not times of day.
//
//   const absl::Time start = forbear::SteadyNow();
//   const absl::Duration elapsed = forbear::SteadyNow() - start;
//
// Thread-safety: safe; it does not block.
// Units:         absl::Time, in nanoseconds.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CONTEXT_CLOCK_H_
#define FORBEAR_INTERCEPTORS_CONTEXT_CLOCK_H_

#include "absl/time/time.h"

namespace forbear {

absl::Time SteadyNow();

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CONTEXT_CLOCK_H_
