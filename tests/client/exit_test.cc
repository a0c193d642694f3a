// A program may end while its calls wait to be retried.
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "gtest/gtest.h"

namespace forbear {
namespace {

class ExitTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(
    Ways, ExitTest, ::testing::Values("return", "exit", "abandon", "cancel"),
    [](const auto& info) { return std::string(info.param); });

// Under a sanitizer, whatever it finds until the very end is a status, too.
TEST_P(ExitTest, EndsAtOnceAndWithoutAComplaintWhileCallsWait) {
  const std::string command =
      std::string("tests/client/exit_program ") + GetParam();
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace forbear
