// Checks, explains, compares and converts policy files and service configs.
//
//   bazel run //examples/policy -- check FILE...
//   bazel run //examples/policy -- explain FILE [METHOD] [--descriptors SET]
//   bazel run //examples/policy -- diff A B [--descriptors SET]
//   bazel run //examples/policy -- convert FILE --to forbear
//
// Exit status: 0; 1 where a file has errors; 2 for a wrong command.
#include "interceptors/policy_file/policy.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "examples/policy/check.h"
#include "examples/policy/convert.h"
#include "examples/policy/descriptors.h"
#include "examples/policy/diff.h"
#include "examples/policy/explain.h"
#include "interceptors/policy_file/load_policy.h"

ABSL_FLAG(std::string, descriptors, "",
          "a descriptor set, for what each .proto says of its methods: protoc "
          "--include_imports --descriptor_set_out=FILE");
ABSL_FLAG(std::string, to, "", "forbear, service-config or envoy");
ABSL_FLAG(std::string, cluster, "backend", "the name of Envoy's cluster");

namespace policy_tool {
namespace {

constexpr char kUsage[] =
    "Reads gRPC service configs and forbear's policy files.\n"
    "  check FILE...                 errors and warnings\n"
    "  explain FILE [METHOD]         what is retried, when, and why\n"
    "  diff A B                      what changes for whom\n"
    "  convert FILE --to forbear|service-config|envoy [--cluster NAME]\n"
    "explain, diff and check take --descriptors SET.";

enum Exit { kFine = 0, kWrong = 1, kMisused = 2 };

using Arguments = std::vector<std::string>;

int Misused(const std::string& why) {
  std::cerr << why << "\n" << kUsage << "\n";
  return kMisused;
}

// Null, and the errors said, if the file has any.
absl::optional<forbear::Policy> Load(const std::string& file) {
  absl::StatusOr<forbear::Policy> policy = forbear::LoadPolicy(file);
  if (policy.ok()) return *std::move(policy);
  std::cerr << policy.status().message() << "\n";
  return absl::nullopt;
}

absl::optional<Declarations> Descriptors() {
  const std::string file = absl::GetFlag(FLAGS_descriptors);
  if (file.empty()) return Declarations();
  absl::StatusOr<Declarations> declared = ReadDescriptors(file);
  if (declared.ok()) return *std::move(declared);
  std::cerr << declared.status().message() << "\n";
  return absl::nullopt;
}

int Check(const Arguments& files) {
  if (files.empty()) return Misused("check: name a file");
  const auto declared = Descriptors();
  if (!declared) return kWrong;
  int status = kFine;
  for (const std::string& file : files) {
    const auto policy = Load(file);
    if (!policy) {
      status = kWrong;
      continue;
    }
    const auto foolish = Foolish(*policy, *declared);
    for (const std::string& warning : policy->warnings) {
      std::cout << warning << " (warning)\n";
    }
    for (const std::string& warning : foolish) {
      std::cout << file << ": " << warning << " (warning)\n";
    }
    std::cout << file << ": sound, warnings: "
              << foolish.size() + policy->warnings.size() << "\n";
  }
  return status;
}

int ExplainFile(const Arguments& arguments) {
  if (arguments.empty() || arguments.size() > 2) {
    return Misused("explain: name a file, and perhaps a method");
  }
  const auto declared = Descriptors();
  const auto policy = Load(arguments[0]);
  if (!declared || !policy) return kWrong;
  auto methods = MethodsToExplain(*policy, *declared);
  if (arguments.size() == 2) methods = {arguments[1]};
  const char* between = "";
  for (const std::string& method : methods) {
    std::cout << between << Explain(method, *policy, *declared);
    between = "\n";
  }
  return kFine;
}

int DiffFiles(const Arguments& files) {
  if (files.size() != 2) return Misused("diff: name two files");
  const auto declared = Descriptors();
  const auto before = Load(files[0]);
  const auto after = Load(files[1]);
  if (!declared || !before || !after) return kWrong;
  const auto lines = Diff(*before, *after, *declared);
  for (const std::string& line : lines) std::cout << line << "\n";
  if (lines.empty()) std::cout << "no difference in meaning\n";
  return kFine;
}

int ConvertFile(const Arguments& files) {
  if (files.size() != 1) return Misused("convert: name one file");
  const std::string to = absl::GetFlag(FLAGS_to);
  const auto format = FormatOf(to);
  if (!format) {
    return Misused(absl::StrCat("convert: --to ", to,
                                " is none of forbear, service-config, envoy"));
  }
  const auto policy = Load(files[0]);
  if (!policy) return kWrong;
  const Conversion converted =
      Convert(*policy, *format, absl::GetFlag(FLAGS_cluster));
  std::cout << converted.text;
  for (const auto* lines : {&policy->warnings, &converted.lost}) {
    for (const std::string& line : *lines) std::cerr << line << "\n";
  }
  return kFine;
}

int Run(const std::string& command, const Arguments& arguments) {
  if (command == "check") return Check(arguments);
  if (command == "explain") return ExplainFile(arguments);
  if (command == "diff") return DiffFiles(arguments);
  if (command == "convert") return ConvertFile(arguments);
  return Misused(absl::StrCat("unknown command: ", command));
}

}  // namespace
}  // namespace policy_tool

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(policy_tool::kUsage);
  const std::vector<char*> given = absl::ParseCommandLine(argc, argv);
  // `bazel run` starts elsewhere than where it was called.
  const char* const called_from = std::getenv("BUILD_WORKING_DIRECTORY");
  if (called_from != nullptr && chdir(called_from) != 0) {
    std::cerr << called_from << ": cannot go there\n";
    return policy_tool::kWrong;
  }
  if (given.size() < 2) return policy_tool::Misused("no command");
  return policy_tool::Run(given[1], {given.begin() + 2, given.end()});
}
