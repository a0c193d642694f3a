// The name that a misspelt one was probably meant to be.
//
//   NearestName("maxAtempts", {"maxAttempts", "maxBackoff"});  // maxAttempts
//
// Thread-safety: a pure function.
// Units:         none.
// Errors:        empty where nothing is near.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_NEAREST_NAME_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_NEAREST_NAME_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace forbear {

// Letters alone count: neither their case nor underscores. A part of a name is
// near it.
std::string NearestName(absl::string_view name,
                        const std::vector<std::string>& known);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_NEAREST_NAME_H_
