// How urgent a call is, by the word of its caller.
//
// RFC 9218 has it for HTTP: `priority: u=1, i` is of urgency 1, from 0 (most
// urgent) to 7; 3 where nothing is said. Other members mean nothing here.
//
//   UrgencyIn("u=5") == 5
//
// Thread-safety: a pure function.
// Units:         a number from 0 to 7.
// Errors:        none. What is out of range or no number says nothing, as the
//                RFC has it.
#ifndef FORBEAR_INTERCEPTORS_CONTEXT_URGENCY_H_
#define FORBEAR_INTERCEPTORS_CONTEXT_URGENCY_H_

#include "absl/strings/string_view.h"

namespace forbear {

inline constexpr int kUsualUrgency = 3;

int UrgencyIn(absl::string_view priority);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CONTEXT_URGENCY_H_
