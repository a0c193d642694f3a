// The route of an Envoy proxy that does for a method, a service or everything
// what a policy says: timeout, retries or hedges.
//
//   Tree route = WriteEnvoyRoute("shop.Routes/Estimate", policy, "shop",
//   &lost);
//
// Thread-safety: pure, but for `lost`.
// Errors:        what cannot be said there is added to `lost`, a line each.
#ifndef FORBEAR_EXAMPLES_POLICY_ENVOY_ROUTE_H_
#define FORBEAR_EXAMPLES_POLICY_ENVOY_ROUTE_H_

#include <string>
#include <vector>

#include "interceptors/policy/method_policy.h"
#include "interceptors/policy_file/tree.h"

namespace policy_tool {

// `name` is "service/Method", "service", or empty for everything.
forbear::Tree WriteEnvoyRoute(const std::string& name,
                              const forbear::MethodPolicy& policy,
                              const std::string& cluster,
                              std::vector<std::string>* lost);

}  // namespace policy_tool

#endif  // FORBEAR_EXAMPLES_POLICY_ENVOY_ROUTE_H_
