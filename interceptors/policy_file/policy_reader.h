// A policy from the tree of a policy file (forbear.v1.Policy).
//
//   Policy policy = ReadPolicy(tree, &problems);
//
// Thread-safety: a pure function, but for `problems`.
// Units:         none.
// Errors:        all of them go to `problems`.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_READER_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_READER_H_

#include "interceptors/policy_file/policy.h"
#include "interceptors/policy_file/problems.h"
#include "interceptors/policy_file/tree.h"

namespace forbear {

Policy ReadPolicy(const Tree& tree, Problems* problems);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_READER_H_
