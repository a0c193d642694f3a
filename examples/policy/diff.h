// What changes for whom between two policies, in words.
//
//   for (const std::string& line : Diff(before, after, declared)) { ... }
//
// Thread-safety: a pure function.
// Units:         none.
// Errors:        none. What a client was retried on and no longer is, is marked
//                "BREAKING for clients".
#ifndef FORBEAR_EXAMPLES_POLICY_DIFF_H_
#define FORBEAR_EXAMPLES_POLICY_DIFF_H_

#include <string>
#include <vector>

#include "examples/policy/descriptors.h"
#include "interceptors/policy_file/policy.h"

namespace policy_tool {

// Empty: they mean the same.
std::vector<std::string> Diff(const forbear::Policy& before,
                              const forbear::Policy& after,
                              const Declarations& declared);

}  // namespace policy_tool

#endif  // FORBEAR_EXAMPLES_POLICY_DIFF_H_
