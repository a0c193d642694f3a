#include "examples/policy/descriptors.h"

#include <google/protobuf/descriptor.pb.h>

#include <fstream>

#include "absl/strings/str_cat.h"

namespace policy_tool {
namespace {

using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;
using google::protobuf::MethodOptions;

Declaration DeclarationOf(const MethodOptions& options) {
  Declaration declaration;
  const auto level = options.idempotency_level();
  declaration.level = MethodOptions::IdempotencyLevel_Name(level);
  declaration.facts.reads = level == MethodOptions::NO_SIDE_EFFECTS;
  declaration.facts.declared = level == MethodOptions::IDEMPOTENCY_UNKNOWN
                                   ? forbear::Repeatable::kUnknown
                                   : forbear::Repeatable::kYes;
  return declaration;
}

void AddMethods(const FileDescriptorProto& file, Declarations& declared) {
  for (const auto& service : file.service()) {
    const std::string full_name = absl::StrCat(
        file.package(), file.package().empty() ? "" : ".", service.name());
    for (const auto& method : service.method()) {
      declared[absl::StrCat(full_name, "/", method.name())] =
          DeclarationOf(method.options());
    }
  }
}

}  // namespace

absl::StatusOr<Declarations> ReadDescriptors(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  FileDescriptorSet set;
  if (!set.ParseFromIstream(&file) || set.file().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": is no descriptor set: write one with protoc "
                     "--include_imports --descriptor_set_out=FILE"));
  }
  Declarations declared;
  for (const FileDescriptorProto& one : set.file()) AddMethods(one, declared);
  return declared;
}

forbear::CallFacts FactsOf(const Declarations& declared,
                           const std::string& method) {
  const auto found = declared.find(method);
  return found == declared.end() ? forbear::CallFacts() : found->second.facts;
}

}  // namespace policy_tool
