// Whatever a file holds, ParsePolicy() gives a policy or an error; and what it
// takes means the same when it is written down and read again.
//
//   bazel build --config=fuzz //tests/policy_file:parse_fuzz
//   bazel-bin/tests/policy_file/parse_fuzz -max_total_time=300 FOLDER
//
// tests/policy_file/corpus is a folder to start from.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy_file/load_policy.h"
#include "interceptors/policy_file/policy_writer.h"

namespace {

void Require(bool holds, absl::string_view what, const std::string& written) {
  if (holds) return;
  std::cerr << what << "\n" << written;
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<forbear::Policy> policy = forbear::ParsePolicy(text);
  if (!policy.ok()) return 0;
  const std::string written = forbear::WritePolicy(*policy);
  const absl::StatusOr<forbear::Policy> again = forbear::ParsePolicy(written);
  Require(again.ok(), again.status().message(), written);
  Require(forbear::WritePolicy(*again) == written, "another meaning", written);

  std::vector<std::string> lost;
  const std::string config = forbear::WriteServiceConfig(policy->client, &lost);
  const absl::StatusOr<forbear::Policy> config_again =
      forbear::ParsePolicy(config);
  Require(config_again.ok(), config_again.status().message(), config);
  return 0;
}
