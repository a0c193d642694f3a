// What a descriptor set says of the methods in it.
//
//   protoc --include_imports --descriptor_set_out=shop.pb shop.proto
//
//   absl::StatusOr<Declarations> declared = ReadDescriptors("shop.pb");
//   declared->at("shop.Routes/Estimate").facts.reads;
//
// Thread-safety: pure functions, but for reading the file.
// Units:         none.
// Errors:        a file that cannot be read, or is no descriptor set.
#ifndef FORBEAR_EXAMPLES_POLICY_DESCRIPTORS_H_
#define FORBEAR_EXAMPLES_POLICY_DESCRIPTORS_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "interceptors/policy/retry_call.h"

namespace policy_tool {

struct Declaration {
  std::string level;  // "NO_SIDE_EFFECTS", or as the .proto has it.
  forbear::CallFacts facts;
};

// By "package.Service/Method".
using Declarations = std::map<std::string, Declaration>;

absl::StatusOr<Declarations> ReadDescriptors(const std::string& path);

// What is known of a method; of one that is not there, nothing.
forbear::CallFacts FactsOf(const Declarations& declared,
                           const std::string& method);

}  // namespace policy_tool

#endif  // FORBEAR_EXAMPLES_POLICY_DESCRIPTORS_H_
