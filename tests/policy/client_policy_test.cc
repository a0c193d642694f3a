#include "interceptors/policy/client_policy.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace forbear {
namespace {

TEST(ClientPolicyTest, ATargetThatIsNotNamedHasTheCommonBudget) {
  ClientPolicy policy;
  policy.target_budget.ratio = 0.2;
  policy.targets["a:1"].ratio = 0.3;
  EXPECT_EQ(policy.BudgetOf("a:1").ratio, 0.3);
  EXPECT_EQ(policy.BudgetOf("b:1").ratio, 0.2);
}

TEST(ClientPolicyTest, AssigningMethodsLeavesTheBudgetsAlone) {
  ClientPolicy policy;
  policy.target_budget.ratio = 0.2;
  MethodPolicy twice;
  twice.max_attempts = 2;
  policy = twice;
  EXPECT_EQ(policy.methods.For("/a.S/M").max_attempts, 2);
  policy = PolicyTable();
  EXPECT_EQ(policy.methods.For("/a.S/M").max_attempts, 4);
  EXPECT_EQ(policy.target_budget.ratio, 0.2);
  policy = ClientPolicy();
  EXPECT_EQ(policy.target_budget.ratio, 0.1);
}

TEST(ClientPolicyTest, ABudgetThatIsOutOfRangeIsNamedWithItsTarget) {
  ClientPolicy policy;
  policy.targets["a:1"].ratio = -1;
  EXPECT_EQ(policy.Validate(),
            absl::InvalidArgumentError("targets[a:1].ratio: -1 is out of range "
                                       "[0, 1000] in thousandths"));
  policy.targets.clear();
  policy.process_budget.ceiling = -1;
  EXPECT_EQ(policy.Validate(),
            absl::InvalidArgumentError("process_budget.ceiling: -1 is out of "
                                       "range [0, 1000000] in thousandths"));
}

}  // namespace
}  // namespace forbear
