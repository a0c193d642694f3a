// The lab as a program: its JSON is JSON, its runs are alike, and a wrong flag
// names itself.
#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/examples/programs.h"

namespace lab {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;
using storm::testing::Ended;
using storm::testing::RunToEnd;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

std::string Output(const std::string& arguments) {
  const Ended ended = RunToEnd("lab", arguments);
  EXPECT_EQ(ended.exit_status, 0) << arguments;
  return ended.output;
}

// The lab's JSON, read by a parser that is not ours.
class Parsed {
 public:
  explicit Parsed(const std::string& arguments) {
    const auto status =
        google::protobuf::util::JsonStringToMessage(Output(arguments), &json_);
    EXPECT_TRUE(status.ok()) << status;
  }

  // Of a path such as "herd.full.calls"; 0s are elements of lists.
  double At(absl::string_view path) const {
    Value value;
    *value.mutable_struct_value() = json_;
    for (const std::string& name :
         std::vector<std::string>(absl::StrSplit(path, '.'))) {
      const Value next = name == "0" ? value.list_value().values(0)
                                     : value.struct_value().fields().at(name);
      value = next;
    }
    return value.number_value();
  }

 private:
  Struct json_;
};

TEST(ProgramTest, PrintsThePublishedFiguresAsJson) {
  const Parsed json("--json");
  EXPECT_EQ(json.At("herd.none.calls"), 550);
  EXPECT_EQ(json.At("herd.full.refused"), 306);
  EXPECT_EQ(json.At("herd.equal.busiest"), 69);
  EXPECT_EQ(json.At("herd.decorrelated.finished_ms"), 1'850);
  EXPECT_EQ(json.At("herd.full.mean.calls"), 408.1);
  EXPECT_EQ(json.At("herd.equal.mean.finished_ms"), 2'418);
  EXPECT_EQ(json.At("layers.0.attempts"), 1);
  EXPECT_EQ(json.At("budget.with.attempts"), 1'109);
  EXPECT_EQ(json.At("deadline.a.ended_ms"), 1'842);
  EXPECT_EQ(json.At("deadline.a.attempts_at_ms.0"), 0);
  EXPECT_EQ(json.At("payment.without_key.charged"), 2);
  EXPECT_EQ(json.At("timers.sweep_busiest_100ms.spread"), 20);
}

TEST(ProgramTest, WritesItsPageBesides) {
  const std::string path = ::testing::TempDir() + "/lab.html";
  EXPECT_EQ(Output(absl::StrCat("--runs=2 --html=", path)), Output("--runs=2"));
  std::ifstream file(path);
  std::string line;
  EXPECT_TRUE(std::getline(file, line));
  EXPECT_EQ(line, "<!DOCTYPE html>");
}

TEST(ProgramTest, NamesThePageThatItCannotWrite) {
  const Ended ended = RunToEnd("lab", "--runs=2 --json --html=/nowhere/x");
  EXPECT_EQ(ended.exit_status, 1);
  EXPECT_THAT(ended.output,
              StartsWith("lab: --html: /nowhere/x: cannot be written: No such "
                         "file or directory\n"));
}

TEST(ProgramTest, IsTheSameFromRunToRunWhateverThePlan) {
  for (const char* plan :
       {"", "--seed=8", "--clients=150 --accept=4", "--base=40 --cap=40",
        "--window=1000", "--seed=0 --clients=1 --cap=86400000"}) {
    const std::string few = absl::StrCat("--runs=2 ", plan);
    EXPECT_EQ(Output(few), Output(few)) << plan;
  }
}

TEST(ProgramTest, AnswersToItsFlags) {
  EXPECT_NE(Parsed("--json --seed=8 --runs=1").At("herd.full.calls"), 406);
  EXPECT_EQ(Parsed("--json --clients=10 --runs=1").At("herd.none.calls"), 10);
  EXPECT_EQ(Parsed("--json --accept=100 --runs=1").At("herd.none.calls"), 100);
  EXPECT_EQ(Parsed("--json --base=200 --runs=1").At("herd.none.finished_ms"),
            19'000);
  EXPECT_EQ(Parsed("--json --cap=100 --runs=1").At("herd.none.finished_ms"),
            900);
  EXPECT_EQ(Parsed("--json --window=10000 --runs=1").At("herd.none.busiest"),
            250);  // 90 at 12.7 s, 80 at 15.9 s, 80 at 19.1 s.
  EXPECT_EQ(Parsed("--json --runs=1").At("herd.full.mean.calls"),
            Parsed("--json --seed=1 --runs=1").At("herd.full.calls"));
}

struct Wrong {
  const char* arguments;
  const char* line;  // A regular expression; it has no line break.
};

class WrongFlagTest : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongFlagTest, StartsWithOneLineThatNamesIt) {
  const Ended ended = RunToEnd("lab", GetParam().arguments);
  EXPECT_EQ(ended.exit_status, 2);
  EXPECT_THAT(ended.output, MatchesRegex(std::string(GetParam().line) + "\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Wrong, WrongFlagTest,
    ::testing::Values(
        Wrong{"--seed=-1", "lab: --seed=-1: it takes [^\n]* 0 to 1000000000"},
        Wrong{"--clients=0", "lab: --clients=0: it takes [^\n]* 1 to 10000"},
        Wrong{"--clients=1.5", "lab: --clients=1.5: it takes [^\n]*"},
        Wrong{"--base=0", "lab: --base=0: it takes [^\n]* 1 to 3600000"},
        Wrong{"--base=100ms", "lab: --base=100ms: it takes [^\n]*"},
        Wrong{"--cap=86400001",
              "lab: --cap=86400001: it takes [^\n]* 86400000"},
        Wrong{"--cap=99",
              "lab: --cap=99: it takes [^\n]*--base, here 100, to 86400000"},
        Wrong{"--accept=", "lab: --accept=: it takes [^\n]* 1 to 10000"},
        Wrong{"--window", "lab: --window=: it takes [^\n]* 1 to 3600000"},
        Wrong{"--runs=1001", "lab: --runs=1001: it takes [^\n]* 1 to 1000:.*"},
        Wrong{"--fleet=0", "lab: --fleet=0: it takes [^\n]* 1 to 1000000:.*"},
        Wrong{"--fleet=many", "lab: --fleet=many: it takes [^\n]*"},
        Wrong{"--fleet --clients=0", "lab: --clients=0: it takes [^\n]*"},
        Wrong{"--json=maybe",
              "lab: --json=maybe: it takes true or false[^\n]*"},
        Wrong{"--sed=7",
              "lab: --sed=7: no such flag; there are [^\n]*--seed.*"},
        Wrong{"7", "lab: 7: no such flag; there are [^\n]*"}));

}  // namespace
}  // namespace lab
