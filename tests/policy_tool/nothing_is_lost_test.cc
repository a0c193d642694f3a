// What a policy says of a method is in what `convert` writes, or is told: no
// field is dropped in silence, whatever fields there will be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "examples/policy/envoy.h"
#include "interceptors/policy/client_policy.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy_file/policy_fields.h"
#include "interceptors/policy_file/policy_writer.h"

namespace policy_tool {
namespace {

using forbear::MethodPolicy;

// Changes the field number `which` to something else that is legal.
class Change final : public forbear::FieldVisitor {
 public:
  explicit Change(int which) : left_(which) {}

  std::string changed;

  void Duration(absl::string_view name, absl::Duration& value,
                forbear::DurationRange) override {
    if (!Mine(name)) return;
    value = value == absl::Seconds(20) ? absl::Seconds(21) : absl::Seconds(20);
  }
  void Number(absl::string_view name, double& value,
              forbear::NumberRange range) override {
    if (Mine(name)) value = range.max > 1 ? value + 1 : 0.9;
  }
  void Whole(absl::string_view name, int64_t& value,
             forbear::NumberRange) override {
    if (Mine(name)) value = value == 3 ? 2 : 3;
  }
  void Flag(absl::string_view name, bool& value) override {
    if (Mine(name)) value = !value;
  }
  void MaybeFlag(absl::string_view name, std::optional<bool>& value) override {
    if (Mine(name)) value = !value.value_or(false);
  }
  void Choice(absl::string_view name, int& value,
              absl::Span<const absl::string_view> names) override {
    if (Mine(name)) value = (value + 1) % static_cast<int>(names.size());
  }
  void Texts(absl::string_view name, std::vector<std::string>& value) override {
    if (Mine(name)) value.push_back("else");
  }
  void Classes(forbear::StatusClasses& value) override {
    if (Mine("classes")) {
      value.Set(absl::StatusCode::kDataLoss, forbear::StatusClass::kListed);
    }
  }
  void Refuse(absl::string_view, absl::string_view) override {}
  bool Enter(absl::string_view name, bool present) override {
    if (present) prefix_.push_back(std::string(name));
    return present;
  }
  void Leave() override { prefix_.pop_back(); }

 private:
  bool Mine(absl::string_view name) {
    if (left_-- != 0) return false;
    changed = absl::StrJoin(prefix_, ".");
    absl::StrAppend(&changed, changed.empty() ? "" : ".", name);
    return true;
  }

  int left_;
  std::vector<std::string> prefix_;
};

enum class To { kServiceConfig, kEnvoy };

// All that a reader gets to see.
std::string Converted(const MethodPolicy& policy, To to) {
  forbear::ClientPolicy client;
  client.methods = policy;
  std::vector<std::string> lost;
  const std::string written = to == To::kEnvoy
                                  ? WriteEnvoy(client, "cluster", &lost)
                                  : forbear::WriteServiceConfig(client, &lost);
  return absl::StrCat(written, absl::StrJoin(lost, "\n"));
}

// The names of the fields whose change leaves no trace, and of all fields.
struct Walk {
  std::vector<std::string> untold;
  std::vector<std::string> all;
};

Walk WalkThrough(const MethodPolicy& policy, To to) {
  Walk walk;
  for (int i = 0;; ++i) {
    MethodPolicy other = policy;
    Change change(i);
    forbear::VisitFields(other, change);
    if (change.changed.empty()) return walk;
    walk.all.push_back(change.changed);
    if (Converted(other, to) == Converted(policy, to)) {
      walk.untold.push_back(change.changed);
    }
  }
}

class NothingIsLostTest : public ::testing::TestWithParam<To> {};

INSTANTIATE_TEST_SUITE_P(Formats, NothingIsLostTest,
                         ::testing::Values(To::kServiceConfig, To::kEnvoy));

TEST_P(NothingIsLostTest, OfAMethodThatIsRetried) {
  MethodPolicy policy;
  policy.repeatable = forbear::Repeatable::kYes;
  const Walk walk = WalkThrough(policy, GetParam());
  EXPECT_THAT(walk.untold, ::testing::IsEmpty());
  EXPECT_GE(walk.all.size(), 20);
}

TEST_P(NothingIsLostTest, OfAMethodThatIsHedged) {
  MethodPolicy policy;
  policy.repeatable = forbear::Repeatable::kYes;
  policy.hedging.max_attempts = 4;
  policy.hedging.percentile = 0.5;
  policy.hedging.assume_read = true;
  const Walk walk = WalkThrough(policy, GetParam());
  // Where calls are hedged, nothing asks for these.
  EXPECT_THAT(walk.untold,
              ::testing::IsSubsetOf({"attempts_until_deadline", "max_attempts",
                                     "backoff.jitter", "backoff.initial",
                                     "backoff.multiplier", "backoff.max",
                                     "backoff.resolution"}));
  EXPECT_GE(walk.all.size(), 26);
}

}  // namespace
}  // namespace policy_tool
