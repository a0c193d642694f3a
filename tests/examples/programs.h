// The programs under examples/, for tests that run them.
//
//   auto routes = StartProgram("routes", {"--port=0"});
//   Ended ended = RunToEnd("gateway", "--port=abc");
//
// Thread-safety: safe for concurrent use.
// Units:         none.
// Errors:        a program that cannot be found or run ends the test.
#ifndef FORBEAR_TESTS_EXAMPLES_PROGRAMS_H_
#define FORBEAR_TESTS_EXAMPLES_PROGRAMS_H_

#include <memory>
#include <string>
#include <vector>

#include "examples/storm/child_process.h"

namespace storm {
namespace testing {

// Where a program is: "routes" and so on.
std::string ProgramPath(const std::string& name);

std::unique_ptr<ChildProcess> StartProgram(
    const std::string& name, const std::vector<std::string>& arguments);

// Where a server listens, which is the last word of its first line.
std::string AddressOf(ChildProcess& server);

struct Ended {
  int exit_status = 0;
  std::string output;  // stdout and stderr.
};
Ended RunToEnd(const std::string& name, const std::string& arguments);

}  // namespace testing
}  // namespace storm

#endif  // FORBEAR_TESTS_EXAMPLES_PROGRAMS_H_
