// How every policy room says that an option is out of its range.
//
// Whoever reads the message knows whose policy it is, which field, what was
// given and what would be right:
//
//   shop.Routes/Estimate: backoff.multiplier: 0.5 is out of range [1, 1e9]
//
//   if (!(multiplier >= 1 && multiplier <= 1e9)) {   // Refuses NaN as well.
//     return OutOfRange(where, "multiplier", multiplier, "[1, 1e9]");
//   }
//
// Thread-safety: pure functions.
// Units:         Durations are written as absl writes them, such as "1.5s".
// Errors:        the result is the error: INVALID_ARGUMENT.
#ifndef FORBEAR_INTERCEPTORS_POLICY_RANGE_CHECK_H_
#define FORBEAR_INTERCEPTORS_POLICY_RANGE_CHECK_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace forbear {

// `where` comes before the field's name, such as "backoff.".
absl::Status OutOfRange(absl::string_view where, absl::string_view field,
                        double value, absl::string_view range);
absl::Status OutOfRange(absl::string_view where, absl::string_view field,
                        absl::Duration value, absl::string_view range);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_RANGE_CHECK_H_
