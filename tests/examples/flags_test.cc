// A wrong flag, port or policy value ends a program with one line that names
// it, what it takes, and what was given.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/examples/programs.h"

namespace storm {
namespace testing {
namespace {

using ::testing::MatchesRegex;

struct Wrong {
  const char* program;
  const char* arguments;
  const char* line;  // A regular expression; it has no line break.
};

class FlagsTest : public ::testing::TestWithParam<Wrong> {};

TEST_P(FlagsTest, EndsWithOneLineThatNamesWhatIsWrong) {
  const Ended ended = RunToEnd(GetParam().program, GetParam().arguments);
  EXPECT_EQ(ended.exit_status, 2);
  EXPECT_THAT(ended.output, MatchesRegex(std::string(GetParam().line) + "\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Wrong, FlagsTest,
    ::testing::Values(
        Wrong{"gateway", "--port=99999",
              "gateway: --port=99999: it takes a port from 0 to 65535[^\n]*"},
        Wrong{"gateway", "--port=abc",
              "gateway: --port=abc: it takes a port from 0 to 65535[^\n]*"},
        Wrong{"routes", "--port=-1",
              "routes: --port=-1: it takes a port from 0 to 65535[^\n]*"},
        Wrong{"routes", "--port",
              "routes: --port=: it takes a port from 0 to 65535[^\n]*"},
        Wrong{"routes", "--upstream=127.0.0.1:1",
              "routes: --upstream=127.0.0.1:1: no such flag; there are "
              "--manner, --port"},
        Wrong{"routes", "--noport",
              "routes: --noport: no such flag; there are --manner, --port"},
        Wrong{"routes", "start",
              "routes: start: no such flag; there are --manner, --port"},
        Wrong{"gateway", "--manner=perhaps",
              "gateway: --manner=perhaps: it takes bare, deadlines, [^\n]*"},
        Wrong{"gateway", "--payments=here",
              "gateway: --payments=here: it takes the host:port of payments, "
              "with a port from 1 to 65535"},
        Wrong{"payments", "--redis=here",
              "payments: --redis=here: it takes the host:port of the Redis "
              "[^\n]*"},
        Wrong{"sweep", "--window=-1s",
              "sweep: --window=-1s: it takes the time over which[^\n]*"},
        Wrong{"sweep", "--window=inf",
              "sweep: --window=inf: it takes the time over which[^\n]*"},
        Wrong{"sweep", "--period=often",
              "sweep: --period=often: it takes how often to sweep[^\n]*"},
        Wrong{"dispatch", "--upstream=nowhere",
              "dispatch: --upstream=nowhere: it takes the host:port of "
              "routes, with a port from 1 to 65535"},
        Wrong{"dispatch", "--max_attempts=many",
              "dispatch: --max_attempts=many: it takes a whole number from 1 "
              "up[^\n]*"},
        Wrong{"dispatch", "--max_attempts=0",
              "dispatch: --max_attempts: 0 is out of range [^\n]*"},
        Wrong{"dispatch", "--policy=nowhere.json",
              "dispatch: nowhere.json: [^\n]*"},
        Wrong{"storm", "--policy=nowhere.json",
              "storm: [^\n]*nowhere.json: [^\n]*"},
        Wrong{"storm", "--quick=perhaps",
              "storm: --quick=perhaps: it takes true or false[^\n]*"},
        Wrong{"storm", "--orders=7",
              "storm: --orders=7: no such flag; there are --html, --json, "
              "--live, --policy, --quick"}),
    [](const auto& info) {
      return std::string(info.param.program) + std::to_string(info.index);
    });

TEST(HelpTest, NamesEachFlagAndWhatItTakes) {
  const Ended ended = RunToEnd("routes", "--help");
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_THAT(ended.output,
              MatchesRegex("--manner: bare, deadlines[^\n]*\n"
                           "--port: a port from 0 to 65535[^\n]*\n"));
}

}  // namespace
}  // namespace testing
}  // namespace storm
