#include "tests/examples/programs.h"

#include <sys/wait.h>

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/cpp/runfiles/runfiles.h"

namespace storm {
namespace testing {

using bazel::tools::cpp::runfiles::Runfiles;

std::string ProgramPath(const std::string& name) {
  std::string error;
  static const Runfiles* const runfiles = Runfiles::CreateForTest(&error);
  EXPECT_NE(runfiles, nullptr) << error;
  return runfiles->Rlocation(
      absl::StrCat("forbear/examples/", name, "/", name));
}

std::unique_ptr<ChildProcess> StartProgram(
    const std::string& name, const std::vector<std::string>& arguments) {
  auto started = ChildProcess::Start(name, ProgramPath(name), arguments);
  EXPECT_TRUE(started.ok()) << started.status();
  return *std::move(started);
}

std::string AddressOf(ChildProcess& server) {
  const absl::StatusOr<std::string> line = server.ReadLine(absl::Minutes(1));
  EXPECT_TRUE(line.ok()) << line.status();
  return line->substr(line->rfind(' ') + 1);
}

Ended RunToEnd(const std::string& name, const std::string& arguments) {
  Ended ended;
  FILE* const pipe = popen(
      absl::StrCat(ProgramPath(name), " ", arguments, " 2>&1").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  for (int c; (c = std::fgetc(pipe)) != EOF;) {
    ended.output.push_back(static_cast<char>(c));
  }
  const int status = pclose(pipe);
  ended.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

}  // namespace testing
}  // namespace storm
