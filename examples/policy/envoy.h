// A policy as Envoy's routes and its cluster's circuit breaker.
//
//   std::vector<std::string> lost;
//   std::string json = WriteEnvoy(policy.client, "routes_cluster", &lost);
//
// `routes` go into a virtual host, `circuit_breakers` into the cluster. Envoy
// takes the first route that matches: methods come before services.
//
// Thread-safety: a pure function.
// Units:         as Envoy writes them.
// Errors:        none. What Envoy cannot say is in `lost`, a line each.
#ifndef FORBEAR_EXAMPLES_POLICY_ENVOY_H_
#define FORBEAR_EXAMPLES_POLICY_ENVOY_H_

#include <string>
#include <vector>

#include "interceptors/policy/client_policy.h"

namespace policy_tool {

std::string WriteEnvoy(const forbear::ClientPolicy& policy,
                       const std::string& cluster,
                       std::vector<std::string>* lost);

}  // namespace policy_tool

#endif  // FORBEAR_EXAMPLES_POLICY_ENVOY_H_
