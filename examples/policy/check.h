// What is legal in a policy, and foolish.
//
//   for (const std::string& warning : Foolish(policy, declared)) { ... }
//
// Thread-safety: a pure function.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_POLICY_CHECK_H_
#define FORBEAR_EXAMPLES_POLICY_CHECK_H_

#include <string>
#include <vector>

#include "examples/policy/descriptors.h"
#include "interceptors/policy_file/policy.h"

namespace policy_tool {

// A line each, beginning with whose policy it is.
std::vector<std::string> Foolish(const forbear::Policy& policy,
                                 const Declarations& declared);

}  // namespace policy_tool

#endif  // FORBEAR_EXAMPLES_POLICY_CHECK_H_
