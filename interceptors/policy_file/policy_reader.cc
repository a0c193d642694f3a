#include "interceptors/policy_file/policy_reader.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "interceptors/policy_file/field_reader.h"
#include "interceptors/policy_file/method_names.h"
#include "interceptors/policy_file/policy_fields.h"
#include "interceptors/policy_file/tree_object.h"

namespace forbear {
namespace {

// What one field's range cannot say, such as that a maximum is no less than
// what it bounds.
template <typename Options>
void Check(const Options& options, const std::string& place,
           Problems* problems) {
  const absl::Status valid = options.Validate(absl::StrCat(place, "."));
  if (!valid.ok()) problems->Error("", valid.message());
}

template <typename Options>
Options Read(const Tree& tree, const std::string& place, Problems* problems) {
  const int errors = problems->errors();
  Options options;
  FieldReader reader(tree, place, problems);
  VisitFields(options, reader);
  reader.RefuseRest();
  if (problems->errors() == errors) Check(options, place, problems);
  return options;
}

void ReadMethod(const Tree& tree, const std::string& place, MethodNames& names,
                PolicyTable& table, Problems* problems) {
  const int errors = problems->errors();
  FieldReader reader(tree, place, problems);
  const std::vector<std::string> found = names.Read(reader.object());
  MethodPolicy policy;
  VisitFields(policy, reader);
  reader.RefuseRest();
  if (problems->errors() == errors) Check(policy, place, problems);
  for (const std::string& name : found) table.Set(name, policy);
}

// A server's limits are of single methods.
void ReadServerMethod(const Tree& tree, const std::string& place,
                      MethodNames& names, ServerOptions& server,
                      Problems* problems) {
  FieldReader reader(tree, place, problems);
  const std::vector<std::string> found = names.Read(reader.object());
  ServerMethodOptions options;
  VisitFields(options, reader);
  reader.RefuseRest();
  for (const std::string& name : found) {
    server.methods[name] = options;
    if (name.find('/') != std::string::npos) continue;
    problems->Error(reader.object().Place("name"),
                    "a server's limit is of one method: name its service and "
                    "its method");
  }
}

ServerOptions ReadServer(const Tree& tree, const std::string& place,
                         Problems* problems) {
  const int errors = problems->errors();
  ServerOptions server;
  FieldReader reader(tree, place, problems);
  VisitFields(server, reader);
  MethodNames names(problems);
  for (const auto& [method, at] : reader.object().List("methods")) {
    ReadServerMethod(*method, at, names, server, problems);
  }
  reader.RefuseRest();
  if (problems->errors() != errors) return server;
  const absl::Status valid = server.Validate();
  absl::string_view error = valid.message();
  absl::ConsumePrefix(&error, "ServerOptions.");
  if (!valid.ok()) problems->Error("", absl::StrCat(place, ".", error));
  return server;
}

void ReadTarget(const Tree& tree, const std::string& place,
                ClientPolicy& client, Problems* problems) {
  TreeObject object(tree, place, problems);
  const Tree* const name = object.Find("target");
  const Tree* const budget = object.Find("budget");
  object.RefuseRest();
  if (!object.is_object()) return;
  if (name == nullptr || budget == nullptr) {
    problems->Error(place, "lacks its target or its budget");
    return;
  }
  const auto target = ReadName(*name, object.Place("target"), problems);
  const auto options =
      Read<RetryBudgetOptions>(*budget, object.Place("budget"), problems);
  if (target && !client.targets.emplace(*target, options).second) {
    problems->Error(object.Place("target"),
                    absl::StrCat(name->Show(), " was named before"));
  }
}

}  // namespace

Policy ReadPolicy(const Tree& tree, Problems* problems) {
  Policy policy;
  TreeObject file(tree, "", problems);
  MethodNames names(problems);
  for (const auto& [method, place] : file.List("methods")) {
    ReadMethod(*method, place, names, policy.client.methods, problems);
  }
  if (const Tree* const budget = file.Find("target_budget")) {
    policy.client.target_budget = Read<RetryBudgetOptions>(
        *budget, file.Place("target_budget"), problems);
  }
  for (const auto& [target, place] : file.List("targets")) {
    ReadTarget(*target, place, policy.client, problems);
  }
  if (const Tree* const budget = file.Find("process_budget")) {
    policy.client.process_budget = Read<RetryBudgetOptions>(
        *budget, file.Place("process_budget"), problems);
  }
  if (const Tree* const server = file.Find("server")) {
    policy.server = ReadServer(*server, file.Place("server"), problems);
  }
  if (!tree.text_format) {  // Misspelt, they leave a config to this reader.
    file.Suggest("methodConfig");
    file.Suggest("retryThrottling");
  }
  file.RefuseRest();
  return policy;
}

}  // namespace forbear
