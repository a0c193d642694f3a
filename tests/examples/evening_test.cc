// The whole evening, as bazel/demo runs it: what must hold however slow the
// machine is.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/examples/programs.h"

namespace storm {
namespace testing {
namespace {

using ::testing::HasSubstr;

TEST(EveningTest, ChargesNoCardTwiceAndLosesNoOrderWithForbear) {
  const std::string directory = std::getenv("TEST_TMPDIR");
  const Ended ended = RunToEnd(
      "storm", absl::StrCat("--quick --json=", directory,
                            "/storm.json --html=", directory, "/storm.html"));
  EXPECT_EQ(ended.exit_status, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("While routes fails, "));

  std::ifstream file(directory + "/storm.json");
  const nlohmann::json json = nlohmann::json::parse(file);
  EXPECT_EQ(json.size(), 2);
  for (const char* const key : {"bare", "forbear"}) {
    const nlohmann::json& course = json.at(key);
    EXPECT_GT(course.at("orders"), 1'000);
    for (const char* const figure :
         {"busiest_100ms", "in_time_share", "fallback_share",
          "entered_after_expiry", "wasted_seconds", "recovery_seconds",
          "double_charges", "pending"}) {
      EXPECT_TRUE(course.contains(figure)) << figure;
    }
    for (const char* const phase :
         {"healthy", "failing", "hanging", "recovering"}) {
      EXPECT_GT(course.at("attempts_per_order").at(phase), 0) << phase;
    }
  }
  const nlohmann::json& forbear = json.at("forbear");
  EXPECT_EQ(forbear.at("double_charges"), 0);
  EXPECT_EQ(forbear.at("pending"), 0);
  // One try each, a tenth more, and the ten that a budget starts with.
  EXPECT_LT(forbear.at("attempts_per_order").at("failing"), 1.2);

  std::ifstream page(directory + "/storm.html");
  EXPECT_TRUE(page.good());
}

}  // namespace
}  // namespace testing
}  // namespace storm
