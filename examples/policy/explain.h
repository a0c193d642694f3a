// The table that API documents should carry, for one method.
//
//   std::cout << Explain("shop.Routes/Estimate", policy, declared);
//
// Thread-safety: a pure function.
// Units:         times are written in seconds.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_POLICY_EXPLAIN_H_
#define FORBEAR_EXAMPLES_POLICY_EXPLAIN_H_

#include <string>
#include <vector>

#include "examples/policy/descriptors.h"
#include "interceptors/policy_file/policy.h"

namespace policy_tool {

// The methods that there is something to say about: those of the descriptor
// set; without one, the names in the file, and "" for everything else.
std::vector<std::string> MethodsToExplain(const forbear::Policy& policy,
                                          const Declarations& declared);

// Markdown.
std::string Explain(const std::string& method, const forbear::Policy& policy,
                    const Declarations& declared);

}  // namespace policy_tool

#endif  // FORBEAR_EXAMPLES_POLICY_EXPLAIN_H_
