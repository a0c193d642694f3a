// A policy from a gRPC service config, and a service config from a policy.
//
// The rules are gRFC A6's (retries), kept where gRPC C++ itself does not keep
// them: `"tokenRatio": 1` is one, codes may be lower-case names or numbers, a
// maxTokens of 2000 is refused, as are ["OK"] and two policies for one method.
//
// - A method without a retryPolicy, or that no entry names, is not retried: in
//   gRPC, a service config is all there is.
// - A retryPolicy without maxAttempts has no limit on attempts but the time and
//   the budget: many files of many years mean just that.
// - A listed code is the operator's word that the failure may pass, and that
//   the method may be repeated on it.
// - Without retryThrottling our own budget stands.
// - What is not about calls (load balancing, message sizes) is left to gRPC.
//
//   Policy policy = ReadServiceConfig(tree, &problems);
//   std::string json = WriteServiceConfig(policy.client, &notes);
//
// Thread-safety: pure functions, but for `problems` and `notes`.
// Units:         durations as text, "0.25s".
// Errors:        all of them go to `problems`.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_SERVICE_CONFIG_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_SERVICE_CONFIG_H_

#include "interceptors/policy_file/policy.h"
#include "interceptors/policy_file/problems.h"
#include "interceptors/policy_file/tree.h"

namespace forbear {

// Whether a JSON file is one: it has a field that only service configs have.
bool IsServiceConfig(const Tree& tree);

Policy ReadServiceConfig(const Tree& tree, Problems* problems);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_SERVICE_CONFIG_H_
