// Reads a policy from a file: everybody's gRPC service configs, and our own.
//
//   absl::StatusOr<forbear::Policy> policy = forbear::LoadPolicy("shop.json");
//   if (!policy.ok()) return Fail(policy.status());
//   options.policy = policy->client;
//
// Three formats, told apart by their content: a gRPC service config (JSON), a
// policy file in JSON, and one in protobuf's text format (proto/policy.proto
// is their schema).
//
// Thread-safety: pure functions, but for reading the file.
// Units:         as in proto/policy.proto.
// Errors:        INVALID_ARGUMENT with all that is wrong, a line for each:
//                place, value, rule and remedy, such as
//                  shop.json: methodConfig[2].retryPolicy.maxAttempts: 1 is out
//                  of range, must be 2 or more (1 means no retries: leave
//                  retryPolicy out)
//                What can't be read is NOT_FOUND, or FAILED_PRECONDITION.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_LOAD_POLICY_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_LOAD_POLICY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy_file/policy.h"

namespace forbear {

// A policy of 1,000 methods has a tenth of it.
inline constexpr size_t kLargestPolicyFile = size_t{4} << 20;

absl::StatusOr<Policy> LoadPolicy(const std::string& path);

// The text of a file, which may be a policy by its size.
absl::StatusOr<std::string> ReadPolicyText(const std::string& path);

// `file` begins each error; empty: nothing does.
absl::StatusOr<Policy> ParsePolicy(absl::string_view text,
                                   absl::string_view file = "");

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_LOAD_POLICY_H_
