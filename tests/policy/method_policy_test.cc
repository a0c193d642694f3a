#include "interceptors/policy/method_policy.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace forbear {
namespace {

TEST(MethodPolicyTest, HasTheDefaultsThatItsHeaderPromises) {
  const MethodPolicy policy;
  EXPECT_EQ(policy.mode, Mode::kEnforce);
  EXPECT_EQ(policy.max_attempts, 4);
  EXPECT_EQ(policy.attempt_timeout, absl::InfiniteDuration());
  EXPECT_EQ(policy.connect_allowance, absl::Seconds(1));
  EXPECT_EQ(policy.default_deadline, absl::InfiniteDuration());
  EXPECT_EQ(policy.max_deadline, absl::InfiniteDuration());
  EXPECT_EQ(policy.least_useful_time, absl::Milliseconds(5));
  EXPECT_EQ(policy.reserve, absl::ZeroDuration());
  EXPECT_EQ(policy.classes, StatusClasses());
  EXPECT_EQ(policy.repeatable, Repeatable::kUnknown);
  EXPECT_FALSE(policy.server_honours_keys);
  EXPECT_EQ(policy.wait_for_ready, std::nullopt);
  EXPECT_FALSE(policy.defer);
  EXPECT_FALSE(policy.hedging.enabled());
  EXPECT_EQ(policy.hedging.cap, 0.05);
  EXPECT_EQ(policy.Validate(), absl::OkStatus());
}

TEST(MethodPolicyTest, AcceptsTheEndsOfEveryRange) {
  MethodPolicy policy;
  policy.max_attempts = 1;
  policy.attempt_timeout = absl::Milliseconds(1);
  policy.max_deadline = absl::Milliseconds(1);
  policy.least_useful_time = absl::ZeroDuration();
  policy.reserve = absl::Hours(1);
  policy.connect_allowance = absl::ZeroDuration();
  EXPECT_EQ(policy.Validate(), absl::OkStatus());
  policy.max_attempts = MethodPolicy::kUnlimitedAttempts;
  policy.least_useful_time = absl::Hours(1);
  policy.connect_allowance = absl::Hours(1);
  EXPECT_EQ(policy.Validate(), absl::OkStatus());
}

// The error of a policy whose `field` was set to `value`.
template <typename T>
absl::Status With(T MethodPolicy::*field, T value) {
  MethodPolicy policy;
  policy.*field = value;
  return policy.Validate("shop.Routes/Estimate: ");
}

absl::Status Refused(const std::string& what) {
  return absl::InvalidArgumentError("shop.Routes/Estimate: " + what);
}

TEST(MethodPolicyTest, NamesTheFieldTheValueAndTheRange) {
  EXPECT_EQ(With(&MethodPolicy::max_attempts, 0),
            Refused("max_attempts: 0 is out of range [1, unlimited]"));
  EXPECT_EQ(With(&MethodPolicy::max_attempts, -3),
            Refused("max_attempts: -3 is out of range [1, unlimited]"));
  EXPECT_EQ(With(&MethodPolicy::attempt_timeout, absl::Microseconds(999)),
            Refused("attempt_timeout: 999us is out of range [1ms, inf]"));
  EXPECT_EQ(With(&MethodPolicy::connect_allowance, -absl::Nanoseconds(1)),
            Refused("connect_allowance: -1ns is out of range [0, 1h]"));
  EXPECT_EQ(With(&MethodPolicy::connect_allowance, absl::InfiniteDuration()),
            Refused("connect_allowance: inf is out of range [0, 1h]"));
  EXPECT_EQ(With(&MethodPolicy::default_deadline, absl::ZeroDuration()),
            Refused("default_deadline: 0 is out of range [1ms, inf]"));
  EXPECT_EQ(With(&MethodPolicy::max_deadline, absl::ZeroDuration()),
            Refused("max_deadline: 0 is out of range [1ms, inf]"));
  EXPECT_EQ(With(&MethodPolicy::max_deadline, -absl::InfiniteDuration()),
            Refused("max_deadline: -inf is out of range [1ms, inf]"));
  EXPECT_EQ(With(&MethodPolicy::least_useful_time, -absl::Nanoseconds(1)),
            Refused("least_useful_time: -1ns is out of range [0, 1h]"));
  EXPECT_EQ(With(&MethodPolicy::reserve, absl::InfiniteDuration()),
            Refused("reserve: inf is out of range [0, 1h]"));
}

TEST(MethodPolicyTest, NamesTheFieldOfItsBackoff) {
  MethodPolicy policy;
  policy.backoff.multiplier = 0.5;
  EXPECT_EQ(policy.Validate("shop.Routes/Estimate: "),
            Refused("backoff.multiplier: 0.5 is out of range [1, 1e9]"));
}

// The error of a policy whose hedging has `field` set to `value`.
template <typename T>
absl::Status Hedging(T HedgingOptions::*field, T value) {
  MethodPolicy policy;
  policy.hedging.*field = value;
  return policy.Validate("shop.Routes/Estimate: ");
}

TEST(MethodPolicyTest, NamesTheFieldOfItsHedging) {
  using Options = HedgingOptions;
  for (const int attempts : {0, 6}) {
    EXPECT_EQ(Hedging(&Options::max_attempts, attempts),
              Refused("hedging.max_attempts: " + std::to_string(attempts) +
                      " is out of range [1, 5]"));
  }
  EXPECT_EQ(Hedging(&Options::delay, -absl::Nanoseconds(1)),
            Refused("hedging.delay: -1ns is out of range [0, 1h]"));
  EXPECT_EQ(Hedging(&Options::delay, absl::InfiniteDuration()),
            Refused("hedging.delay: inf is out of range [0, 1h]"));
  EXPECT_EQ(Hedging(&Options::percentile, 0.49),
            Refused("hedging.percentile: 0.49 is out of range 0 or "
                    "[0.5, 0.999]"));
  EXPECT_EQ(Hedging(&Options::percentile, 1.0),
            Refused("hedging.percentile: 1 is out of range 0 or "
                    "[0.5, 0.999]"));
  EXPECT_EQ(Hedging(&Options::least_measured, 0),
            Refused("hedging.least_measured: 0 is out of range "
                    "[1, 1000000]"));
  EXPECT_EQ(Hedging(&Options::cap, 0.0505),
            Refused("hedging.cap: 0.0505 is out of range [0, 4] in "
                    "thousandths"));
  EXPECT_EQ(Hedging(&Options::cap, 4.5),
            Refused("hedging.cap: 4.5 is out of range [0, 4] in thousandths"));
}

TEST(MethodPolicyTest, AcceptsTheEndsOfEveryRangeOfItsHedging) {
  using Options = HedgingOptions;
  EXPECT_EQ(Hedging(&Options::max_attempts, 5), absl::OkStatus());
  EXPECT_EQ(Hedging(&Options::delay, absl::Hours(1)), absl::OkStatus());
  for (const double percentile : {0.5, 0.95, 0.999}) {
    EXPECT_EQ(Hedging(&Options::percentile, percentile), absl::OkStatus());
  }
  EXPECT_EQ(Hedging(&Options::least_measured, 1'000'000), absl::OkStatus());
  for (const double cap : {0.0, 0.07, 4.0}) {
    EXPECT_EQ(Hedging(&Options::cap, cap), absl::OkStatus());
  }
}

}  // namespace
}  // namespace forbear
