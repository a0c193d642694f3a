#include "interceptors/policy/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace forbear {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;

constexpr absl::Duration k412 = absl::Milliseconds(412);

std::vector<Verdict> All() {
  std::vector<Verdict> all;
  for (int i = 0; i < kVerdicts; ++i) all.push_back(static_cast<Verdict>(i));
  return all;
}

TEST(VerdictTest, HasANameAndAPhraseEach) {
  std::set<absl::string_view> names;
  std::set<absl::string_view> phrases;
  for (Verdict verdict : All()) {
    EXPECT_THAT(std::string(VerdictName(verdict)), MatchesRegex("[a-z_]+"));
    EXPECT_THAT(std::string(VerdictPhrase(verdict)), MatchesRegex("[a-z ]+"));
    names.insert(VerdictName(verdict));
    phrases.insert(VerdictPhrase(verdict));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(kVerdicts));
  EXPECT_EQ(phrases.size(), static_cast<size_t>(kVerdicts));
}

TEST(VerdictTest, IsNamedAsItIsCalled) {
  EXPECT_EQ(VerdictName(Verdict::kSucceeded), "succeeded");
  EXPECT_EQ(VerdictName(Verdict::kPermanent), "permanent");
  EXPECT_EQ(VerdictName(Verdict::kRefusedByServer), "refused_by_server");
  EXPECT_EQ(VerdictName(Verdict::kCommitted), "committed");
  EXPECT_EQ(VerdictName(Verdict::kDeferred), "deferred");
  EXPECT_EQ(VerdictName(Verdict::kLeftToChannel), "left_to_channel");
  EXPECT_EQ(VerdictName(Verdict::kNotRepeatable), "not_repeatable");
  EXPECT_EQ(VerdictName(Verdict::kAttemptsSpent), "attempts_spent");
  EXPECT_EQ(VerdictName(Verdict::kDeadlineTooClose), "deadline_too_close");
  EXPECT_EQ(VerdictName(Verdict::kObserved), "observed");
  EXPECT_EQ(VerdictName(Verdict::kBudgetSpent), "budget_spent");
  EXPECT_EQ(VerdictName(Verdict::kCancelled), "cancelled");
  EXPECT_EQ(VerdictName(Verdict::kDeadline), "deadline");
}

TEST(VerdictTest, GaveUpAtEveryGateThatHeldARetryBack) {
  std::vector<Verdict> gave_up;
  for (Verdict verdict : All()) {
    if (GaveUp(verdict)) gave_up.push_back(verdict);
  }
  EXPECT_THAT(gave_up,
              ElementsAre(Verdict::kRefusedByServer, Verdict::kCommitted,
                          Verdict::kNotRepeatable, Verdict::kAttemptsSpent,
                          Verdict::kDeadlineTooClose, Verdict::kBudgetSpent));
}

TEST(SuffixTest, SaysWhatWasDone) {
  EXPECT_EQ(
      WithSuffix("upstream restarting", Verdict::kBudgetSpent, 3, k412),
      "upstream restarting (forbear: 3 attempts in 412 ms, stopped: budget "
      "spent)");
}

TEST(SuffixTest, CountsOneAttemptInTheSingular) {
  EXPECT_EQ(WithSuffix("down", Verdict::kNotRepeatable, 1, k412),
            "down (forbear: 1 attempt in 412 ms, stopped: not repeatable)");
  EXPECT_EQ(WithSuffix("late", Verdict::kDeadline, 0, absl::ZeroDuration()),
            "late (forbear: 0 attempts in 0 ms, stopped: deadline passed)");
}

TEST(SuffixTest, StandsAloneWhereThereIsNoMessage) {
  EXPECT_EQ(WithSuffix("", Verdict::kAttemptsSpent, 4, k412),
            "(forbear: 4 attempts in 412 ms, stopped: attempts spent)");
}

TEST(SuffixTest, IsLeftOutWhereASingleAttemptWasNotHeldBack) {
  std::vector<Verdict> silent;
  for (Verdict verdict : All()) {
    if (WithSuffix("m", verdict, 1, k412) == "m") silent.push_back(verdict);
  }
  EXPECT_THAT(silent, ElementsAre(Verdict::kSucceeded, Verdict::kPermanent,
                                  Verdict::kLeftToChannel, Verdict::kObserved,
                                  Verdict::kCancelled, Verdict::kDeadline));
}

TEST(SuffixTest, FollowsEveryFailureAfterSeveralAttempts) {
  for (Verdict verdict : All()) {
    if (verdict == Verdict::kSucceeded) continue;
    EXPECT_EQ(WithSuffix("m", verdict, 2, k412),
              "m (forbear: 2 attempts in 412 ms, stopped: " +
                  std::string(VerdictPhrase(verdict)) + ")");
  }
  EXPECT_EQ(WithSuffix("m", Verdict::kSucceeded, 2, k412), "m");
}

TEST(SuffixTest, RoundsTimeDownToWholeMilliseconds) {
  EXPECT_EQ(WithSuffix("", Verdict::kPermanent, 2, absl::Microseconds(1999)),
            "(forbear: 2 attempts in 1 ms, stopped: permanent failure)");
  EXPECT_EQ(WithSuffix("", Verdict::kPermanent, 2, -absl::Seconds(1)),
            "(forbear: 2 attempts in 0 ms, stopped: permanent failure)");
}

TEST(SuffixTest, ReplacesTheSuffixOfAnInnerLayer) {
  const std::string inner =
      WithSuffix("down", Verdict::kBudgetSpent, 3, absl::Milliseconds(100));
  const std::string outer =
      WithSuffix(inner, Verdict::kRefusedByServer, 1, k412);
  EXPECT_EQ(outer,
            "down (forbear: 1 attempt in 412 ms, stopped: refused by server)");
  EXPECT_EQ(WithSuffix(outer, Verdict::kRefusedByServer, 1, k412), outer);
}

TEST(SuffixTest, ReplacesASuffixThatIsTheWholeMessage) {
  EXPECT_EQ(WithSuffix("(forbear: 3 attempts in 1 ms, stopped: budget spent)",
                       Verdict::kPermanent, 2, k412),
            "(forbear: 2 attempts in 412 ms, stopped: permanent failure)");
}

TEST(SuffixTest, ReplacesASuffixWithAPhraseThatAnotherVersionHas) {
  EXPECT_EQ(WithSuffix("x (forbear: 1 attempt in 7 ms, stopped: too tired)",
                       Verdict::kPermanent, 2, k412),
            "x (forbear: 2 attempts in 412 ms, stopped: permanent failure)");
}

TEST(SuffixTest, LeavesTheSuffixOfAnInnerLayerWhereItAddsNone) {
  const std::string inner = WithSuffix("d", Verdict::kBudgetSpent, 3, k412);
  EXPECT_EQ(WithSuffix(inner, Verdict::kPermanent, 1, k412), inner);
}

TEST(SuffixTest, KeepsWhateverIsNotExactlyASuffix) {
  for (absl::string_view message : {
           "(forbear: 3 attempts in 1 ms, stopped: budget spent) ",
           "(forbear: 3 attempts in 1 ms, stopped: budget spent).",
           "(forbear: 3 attempt in 1 ms, stopped: budget spent)",
           "(forbear: 1 attempts in 1 ms, stopped: budget spent)",
           "(forbear: 03 attempts in 1 ms, stopped: budget spent)",
           "(forbear: +3 attempts in 1 ms, stopped: budget spent)",
           "(forbear: 3 attempts in -1 ms, stopped: budget spent)",
           "(forbear: 3 attempts in 1.5 ms, stopped: budget spent)",
           "(forbear: 3 attempts in 1 s, stopped: budget spent)",
           "(forbear: attempts in 1 ms, stopped: budget spent)",
           "(forbear: 3 attempts in  ms, stopped: budget spent)",
           "(forbear: 3 attempts in 1 ms, stopped: )",
           "(forbear: 3 attempts in 1 ms, stopped: Budget)",
           "(forbear: 3 attempts in 1 ms, stopped: a) b)",
           "(forbear: 99999999999999999999 attempts in 1 ms, stopped: budget)",
           "(forbear: 3 attempts in 1 ms)",
           "(forbear: )",
           "(forbear: ",
           "(Forbear: 3 attempts in 1 ms, stopped: budget spent)",
       }) {
    EXPECT_EQ(WithSuffix(message, Verdict::kPermanent, 2, k412),
              std::string(message) +
                  " (forbear: 2 attempts in 412 ms, stopped: permanent "
                  "failure)");
  }
}

TEST(SuffixTest, ReplacesOneSuffixOnly) {
  const std::string two =
      "x (forbear: 1 attempt in 1 ms, stopped: committed)"
      " (forbear: 2 attempts in 1 ms, stopped: deferred)";
  EXPECT_EQ(WithSuffix(two, Verdict::kPermanent, 2, k412),
            "x (forbear: 1 attempt in 1 ms, stopped: committed)"
            " (forbear: 2 attempts in 412 ms, stopped: permanent failure)");
}

}  // namespace
}  // namespace forbear
