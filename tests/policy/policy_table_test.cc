#include "interceptors/policy/policy_table.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace forbear {
namespace {

MethodPolicy Attempts(int max_attempts) {
  MethodPolicy policy;
  policy.max_attempts = max_attempts;
  return policy;
}

int AttemptsFor(const PolicyTable& table, absl::string_view method) {
  return table.For(method).max_attempts;
}

TEST(PolicyTableTest, HoldsTheDefaultsForEveryMethod) {
  EXPECT_EQ(AttemptsFor(PolicyTable(), "/shop.Routes/Estimate"), 4);
}

TEST(PolicyTableTest, IsMadeOfOnePolicyForEveryMethod) {
  const PolicyTable table = Attempts(2);
  EXPECT_EQ(AttemptsFor(table, "/shop.Routes/Estimate"), 2);
}

TEST(PolicyTableTest, PrefersTheMethodToItsServiceToTheRest) {
  PolicyTable table;
  table.Set("", Attempts(1));
  table.Set("shop.Routes", Attempts(2));
  table.Set("shop.Routes/Estimate", Attempts(3));
  EXPECT_EQ(AttemptsFor(table, "/shop.Routes/Estimate"), 3);
  EXPECT_EQ(AttemptsFor(table, "/shop.Routes/Plan"), 2);
  EXPECT_EQ(AttemptsFor(table, "/shop.Stock/Take"), 1);
  EXPECT_EQ(AttemptsFor(table, "/shop.RoutesToo/Estimate"), 1);
  EXPECT_EQ(AttemptsFor(table, "/shop/Routes"), 1);
}

TEST(PolicyTableTest, TakesMethodsWithOrWithoutTheSlashBeforeThem) {
  PolicyTable table;
  table.Set("/shop.Routes/Estimate", Attempts(3));
  EXPECT_EQ(AttemptsFor(table, "/shop.Routes/Estimate"), 3);
  EXPECT_EQ(AttemptsFor(table, "shop.Routes/Estimate"), 3);
  EXPECT_EQ(table.Validate(), absl::OkStatus());
}

TEST(PolicyTableTest, ReplacesAPolicyThatIsSetAgain) {
  PolicyTable table;
  table.Set("shop.Routes", Attempts(2));
  table.Set("shop.Routes", Attempts(3));
  EXPECT_EQ(AttemptsFor(table, "/shop.Routes/Plan"), 3);
}

TEST(PolicyTableTest, FallsBackForMethodsOfNoService) {
  PolicyTable table = Attempts(2);
  table.Set("shop.Routes", Attempts(3));
  for (absl::string_view method : {"", "/", "//", "Estimate", "/Estimate"}) {
    EXPECT_EQ(AttemptsFor(table, method), 2) << method;
  }
}

TEST(PolicyTableTest, NamesThePolicyThatIsWrong) {
  PolicyTable table;
  EXPECT_EQ(table.Validate(), absl::OkStatus());
  table.Set("shop.Stock", Attempts(0));
  table.Set("shop.Routes/Estimate", Attempts(-1));
  EXPECT_EQ(table.Validate(),
            absl::InvalidArgumentError("shop.Routes/Estimate: max_attempts: -1 "
                                       "is out of range [1, unlimited]"));
  table.Set("", Attempts(-2));
  EXPECT_EQ(table.Validate(),
            absl::InvalidArgumentError(
                "max_attempts: -2 is out of range [1, unlimited]"));
}

TEST(PolicyTableTest, RefusesANameThatCanMatchNothing) {
  for (absl::string_view name :
       {"shop.Routes/", "//Estimate", "shop.Routes/Estimate/", "a/b/c"}) {
    PolicyTable table;
    table.Set(name, MethodPolicy());
    absl::ConsumePrefix(&name, "/");
    EXPECT_EQ(
        table.Validate(),
        absl::InvalidArgumentError(absl::StrCat(
            name, ": is neither package.Service/Method nor package.Service")));
  }
}

}  // namespace
}  // namespace forbear
