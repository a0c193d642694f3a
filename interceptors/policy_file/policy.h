// What one policy file says, to clients and to servers.
//
//   absl::StatusOr<Policy> policy = LoadPolicy("shop.json");
//   client_options.policy = policy->client;
//   ServerGuard guard(policy->server);
//
// Thread-safety: a value; const members may be called concurrently.
// Units:         beside each field.
// Errors:        none: what LoadPolicy() returns is valid.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_H_

#include <string>
#include <vector>

#include "interceptors/policy/client_policy.h"
#include "interceptors/server/server_options.h"

namespace forbear {

struct Policy {
  ClientPolicy client;
  ServerOptions server;

  // What is legal and not quite what it seems, such as more than 5 attempts in
  // a service config. A line each, with its place.
  std::vector<std::string> warnings;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_H_
