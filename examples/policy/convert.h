// A policy in the words of others, and what those have no words for.
//
//   Conversion envoy = Convert(policy, Format::kEnvoy, "routes_cluster");
//   std::cout << envoy.text;
//   for (const std::string& line : envoy.lost) std::cerr << line << "\n";
//
// Thread-safety: a pure function.
// Units:         as each format writes them.
// Errors:        none. Every field of a policy is in `text`, or in `lost`, a
//                line each: whose it is, which field, and what becomes of it.
#ifndef FORBEAR_EXAMPLES_POLICY_CONVERT_H_
#define FORBEAR_EXAMPLES_POLICY_CONVERT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "interceptors/policy_file/policy.h"

namespace policy_tool {

enum class Format { kForbear, kServiceConfig, kEnvoy };

// "forbear", "service-config" or "envoy"; null for any other.
absl::optional<Format> FormatOf(absl::string_view name);

struct Conversion {
  std::string text;
  std::vector<std::string> lost;
};

// `cluster`: the name that Envoy knows the servers by.
Conversion Convert(const forbear::Policy& policy, Format format,
                   const std::string& cluster);

}  // namespace policy_tool

#endif  // FORBEAR_EXAMPLES_POLICY_CONVERT_H_
