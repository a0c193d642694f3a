#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/policy_file/field_list.h"
#include "interceptors/policy_file/load_policy.h"
#include "interceptors/policy_file/policy_writer.h"

namespace forbear {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::string_view kSound =
    R"("initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2,)";

// A config of one entry, for everything, with this retryPolicy.
std::string WithRetry(absl::string_view fields) {
  return absl::StrCat(R"({"methodConfig": [{"name": [{}], "retryPolicy": {)",
                      fields, "}}]}");
}

Policy Parsed(absl::string_view text) {
  const absl::StatusOr<Policy> policy = ParsePolicy(text, "a.json");
  EXPECT_EQ(policy.status(), absl::OkStatus());
  return policy.value_or(Policy());
}

std::string ErrorOf(absl::string_view text) {
  const absl::Status status = ParsePolicy(text, "a.json").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(ServiceConfigTest, AMethodBeatsItsServiceWhichBeatsTheDefault) {
  const Policy policy = Parsed(R"({"methodConfig": [
      {"name": [{}], "timeout": "3s"},
      {"name": [{"service": "a.S"}], "timeout": "2s"},
      {"name": [{"service": "a.S", "method": "M"}], "timeout": "1s"}]})");
  const PolicyTable& table = policy.client.methods;
  EXPECT_EQ(table.For("/a.S/M").max_deadline, absl::Seconds(1));
  EXPECT_EQ(table.For("/a.S/N").max_deadline, absl::Seconds(2));
  EXPECT_EQ(table.For("/b.S/M").max_deadline, absl::Seconds(3));
}

TEST(ServiceConfigTest, AMethodWithoutRetryPolicyIsNotRetried) {
  const Policy policy = Parsed(
      R"({"methodConfig": [{"name": [{"service": "a.S"}], "timeout": "2s"}]})");
  for (absl::string_view method : {"/a.S/M", "/named.by/Nobody"}) {
    const MethodPolicy& found = policy.client.methods.For(method);
    EXPECT_EQ(found.max_attempts, 1);
    EXPECT_EQ(found.classes.Of(absl::StatusCode::kUnavailable),
              StatusClass::kPermanent);
  }
}

TEST(ServiceConfigTest, ARetryPolicyIsReadAsGrpcMeansIt) {
  const Policy policy = Parsed(WithRetry(
      R"("maxAttempts": 3, "initialBackoff": "0.25s", "maxBackoff": "32s",
         "backoffMultiplier": 1.3,
         "retryableStatusCodes": ["UNAVAILABLE", "unknown", 8])"));
  const MethodPolicy& found = policy.client.methods.For("/a.S/M");
  EXPECT_EQ(found.max_attempts, 3);
  EXPECT_EQ(found.backoff.initial, absl::Milliseconds(250));
  EXPECT_EQ(found.backoff.max, absl::Seconds(32));
  EXPECT_EQ(found.backoff.multiplier, 1.3);
  EXPECT_EQ(found.backoff.jitter, Jitter::kProportional);
  StatusClasses listed;
  listed.List({absl::StatusCode::kUnavailable, absl::StatusCode::kUnknown,
               absl::StatusCode::kResourceExhausted});
  EXPECT_EQ(found.classes, listed);
  EXPECT_THAT(policy.warnings, IsEmpty());
}

TEST(ServiceConfigTest, WithoutMaxAttemptsThereIsNoLimitButTheTime) {
  const Policy policy = Parsed(
      WithRetry(absl::StrCat(kSound, R"("retryableStatusCodes": [14])")));
  EXPECT_EQ(policy.client.methods.For("/a.S/M").max_attempts,
            MethodPolicy::kUnlimitedAttempts);
}

TEST(ServiceConfigTest, MoreThanFiveAttemptsCountAsFiveAndSaySo) {
  const Policy policy = Parsed(WithRetry(absl::StrCat(
      kSound, R"("maxAttempts": 9, "retryableStatusCodes": [14])")));
  EXPECT_EQ(policy.client.methods.For("/a.S/M").max_attempts, 5);
  EXPECT_THAT(policy.warnings,
              ElementsAre("a.json: methodConfig[0].retryPolicy.maxAttempts: 9 "
                          "counts as 5, the most that gRPC makes"));
}

TEST(ServiceConfigTest, OneAttemptIsRefusedWithItsRemedy) {
  EXPECT_EQ(ErrorOf(WithRetry(absl::StrCat(
                kSound, R"("maxAttempts": 1, "retryableStatusCodes": [14])"))),
            "a.json: methodConfig[0].retryPolicy.maxAttempts: 1 is out of "
            "range, must be 2 or more (1 means no retries: leave retryPolicy "
            "out)");
}

TEST(ServiceConfigTest, OkIsNoFailure) {
  EXPECT_EQ(ErrorOf(WithRetry(
                absl::StrCat(kSound, R"("retryableStatusCodes": ["OK"])"))),
            "a.json: methodConfig[0].retryPolicy.retryableStatusCodes[0]: OK "
            "is no failure: leave it out");
}

TEST(ServiceConfigTest, ARetryPolicyWithoutCodesCanNeverRetry) {
  EXPECT_EQ(
      ErrorOf(WithRetry(absl::StrCat(kSound, R"("retryableStatusCodes": [])"))),
      "a.json: methodConfig[0].retryPolicy.retryableStatusCodes: is empty, so "
      "nothing can ever be retried: name a code (\"UNAVAILABLE\"), or leave "
      "retryPolicy out");
}

TEST(ServiceConfigTest, AWaitIsNeverLongerThanMaxBackoff) {
  const Policy policy = Parsed(WithRetry(
      R"("initialBackoff": "5s", "maxBackoff": "0.0005s",
         "backoffMultiplier": 2, "retryableStatusCodes": [14])"));
  const BackoffOptions& backoff = policy.client.methods.For("/a.S/M").backoff;
  EXPECT_EQ(Backoff::Ceiling(backoff, 1), absl::Microseconds(500));
  EXPECT_EQ(Backoff::Ceiling(backoff, 9), absl::Microseconds(500));
}

TEST(ServiceConfigTest, AShrinkingBackoffCountsAsSteadyAndSaysSo) {
  const Policy policy = Parsed(WithRetry(
      R"("initialBackoff": "1s", "maxBackoff": "2s", "backoffMultiplier": 0.5,
         "retryableStatusCodes": [14])"));
  EXPECT_EQ(policy.client.methods.For("/a.S/M").backoff.multiplier, 1);
  EXPECT_THAT(
      policy.warnings,
      ElementsAre("a.json: methodConfig[0].retryPolicy.backoffMultiplier: 0.5 "
                  "counts as 1: waits do not shrink"));
}

TEST(ServiceConfigTest, AHedgingPolicyIsItsOperatorsWord) {
  const Policy policy = Parsed(R"({"methodConfig": [
      {"name": [{}], "hedgingPolicy": {
          "maxAttempts": 3, "hedgingDelay": "0.02s",
          "nonFatalStatusCodes": ["UNAVAILABLE"]}}]})");
  const MethodPolicy& found = policy.client.methods.For("/a.S/M");
  EXPECT_EQ(found.hedging.max_attempts, 3);
  EXPECT_EQ(found.hedging.delay, absl::Milliseconds(20));
  EXPECT_EQ(found.hedging.cap, 1);
  EXPECT_TRUE(found.hedging.assume_read);
  EXPECT_EQ(found.classes.Of(absl::StatusCode::kUnavailable),
            StatusClass::kListed);
  EXPECT_EQ(found.max_attempts, 1);

  std::vector<std::string> lost;
  const Policy again = Parsed(WriteServiceConfig(policy.client, &lost));
  EXPECT_TRUE(SameMeaning(again.client.methods.For("/a.S/M"), found));
}

TEST(ServiceConfigTest, AMethodRetriesOrHedges) {
  EXPECT_EQ(ErrorOf(absl::StrCat(
                R"({"methodConfig": [{"name": [{}], "retryPolicy": {)", kSound,
                R"("retryableStatusCodes": [14]},
                   "hedgingPolicy": {"maxAttempts": 1}}]})")),
            "a.json: methodConfig[0].hedgingPolicy.maxAttempts: 1 is out of "
            "range, must be 2 or more (1 means no hedges: leave hedgingPolicy "
            "out)\n"
            "a.json: methodConfig[0].hedgingPolicy: stands beside a "
            "retryPolicy: a method retries or hedges, leave one of them out");
}

TEST(ServiceConfigTest, ATokenRatioOfOneIsOneHoweverItIsWritten) {
  for (absl::string_view one : {"1", "1.0", "1.0004", "1e0"}) {
    const Policy policy = Parsed(absl::StrCat(
        R"({"retryThrottling": {"maxTokens": 10, "tokenRatio": )", one, "}}"));
    EXPECT_EQ(policy.client.target_budget.rule,
              RetryBudgetOptions::Rule::kThrottle);
    EXPECT_EQ(policy.client.target_budget.token_ratio, 1) << one;
  }
}

TEST(ServiceConfigTest, ThrottlingKeepsItsRanges) {
  EXPECT_EQ(
      ErrorOf(R"({"retryThrottling": {"maxTokens": 2000, "tokenRatio": 0}})"),
      "a.json: retryThrottling.maxTokens: 2000 is out of range, must be from "
      "0.001 to 1000\n"
      "a.json: retryThrottling.tokenRatio: 0 is out of range, must be from "
      "0.001 to 1000000");
}

TEST(ServiceConfigTest, TheSameNameTwiceIsAnError) {
  EXPECT_EQ(ErrorOf(R"({"methodConfig": [
                {"name": [{"service": "a.S"}, {"service": "a.T"}]},
                {"name": [{"service": "a.T", "method": ""}]}]})"),
            "a.json: methodConfig[1].name[0]: a.T was named before, at "
            "methodConfig[0].name[1]");
}

TEST(ServiceConfigTest, AMisspeltFieldIsAnErrorThatNamesItsNeighbour) {
  EXPECT_EQ(ErrorOf(WithRetry(absl::StrCat(
                kSound, R"("maxAtempts": 3, "retryableStatusCodes": [14])"))),
            "a.json: methodConfig[0].retryPolicy.maxAtempts: unknown field; is "
            "it maxAttempts?");
}

TEST(ServiceConfigTest, LoadBalancingIsLeftToGrpcAndSaidSo) {
  const Policy policy =
      Parsed(R"({"loadBalancingConfig": [{"round_robin": {}}]})");
  EXPECT_THAT(policy.warnings,
              ElementsAre("a.json: loadBalancingConfig: is left to gRPC: "
                          "forbear reads what is about retries and time"));
}

TEST(ServiceConfigTest, AllErrorsAreReported) {
  EXPECT_EQ(
      ErrorOf(R"({"methodConfig": [
      {"name": [{"method": "M"}], "timeout": "1m"},
      {"name": [], "timeout": 5, "waitForReady": "yes"},
      {"name": [{"service": "a.S"}], "retryPolicy": {
          "maxAttempts": "3", "initialBackoff": "0s", "maxBackoff": "-1s",
          "backoffMultiplier": 0, "retryableStatusCodes": ["UNAVAILABEL"]}}]})"),
      R"(a.json: methodConfig[0].name[0]: names the method M of no service: add its service
a.json: methodConfig[0].timeout: "1m" is not a duration: write seconds, as "60s"
a.json: methodConfig[1].name: names nothing: write {"service": ..., "method": ...}, {"service": ...}, or {} for everything
a.json: methodConfig[1].timeout: 5 is not a duration: write seconds, as "5s"
a.json: methodConfig[1].waitForReady: "yes" is neither true nor false (without quotes)
a.json: methodConfig[2].retryPolicy.maxAttempts: "3" is not a number: write 3 without quotes
a.json: methodConfig[2].retryPolicy.initialBackoff: 0s is out of range, must be from 0.000001s to 3600s
a.json: methodConfig[2].retryPolicy.maxBackoff: -1s is out of range, must be from 0.000001s to 86400s
a.json: methodConfig[2].retryPolicy.backoffMultiplier: 0 is out of range, must be more than 0
a.json: methodConfig[2].retryPolicy.retryableStatusCodes[0]: "UNAVAILABEL" is not a status code; is it UNAVAILABLE?)");
}

TEST(ServiceConfigWriterTest, SaysLineByLineWhatCannotBeSaid) {
  const Policy policy = Parsed(R"({"methods": [{
      "name": [{"service": "a.S"}], "attemptTimeout": "0.5s",
      "repeatable": true, "maxAttempts": 7, "p99": "0.2s"}]})");
  std::vector<std::string> lost;
  EXPECT_EQ(WriteServiceConfig(policy.client, &lost), R"({
  "methodConfig": [
    {
      "name": [{"service": "a.S"}],
      "retryPolicy": {
        "maxAttempts": 5,
        "initialBackoff": "0.1s",
        "maxBackoff": "10s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": ["DEADLINE_EXCEEDED", "UNAVAILABLE"]
      }
    }
  ]
}
)");
  EXPECT_THAT(
      lost,
      ElementsAre(
          "everything else: DEADLINE_EXCEEDED is retried where the .proto or "
          "an idempotency key says that it may be: not retried there",
          "everything else: RESOURCE_EXHAUSTED is retried after the server's "
          "delay alone: not retried there",
          "everything else: UNAVAILABLE is retried where the .proto or an "
          "idempotency key says that it may be: not retried there",
          "a.S: attempt_timeout 0.5s has no field there: left out",
          "a.S: p99 0.2s has no field there: left out",
          "a.S: RESOURCE_EXHAUSTED is retried after the server's delay alone: "
          "not retried there",
          "a.S: waits with full jitter become 0.8 to 1.2 of the backoff",
          "a.S: 7 attempts become 5, the most that gRPC makes",
          "target_budget: ratio 0.1, ceiling 10, burst_window 1s, floor 0.1 "
          "has no field there (retryThrottling looks at outcomes, not at "
          "calls): left out",
          "process_budget: ratio 0.1, ceiling 10, burst_window 1s, floor 0.1 "
          "has no field there: left out"));
}

TEST(ServiceConfigWriterTest, ATokenRatioIsWrittenAsGrpcReadsIt) {
  std::vector<std::string> lost;
  const Policy policy =
      Parsed(R"({"retryThrottling": {"maxTokens": 10, "tokenRatio": 1}})");
  EXPECT_THAT(WriteServiceConfig(policy.client, &lost),
              HasSubstr(R"({"maxTokens": 10, "tokenRatio": 1.000})"));
  EXPECT_THAT(lost, ElementsAre(HasSubstr("process_budget")));
}

TEST(ServiceConfigWriterTest, WhatIsNotEnforcedIsNotDoneThereEither) {
  std::vector<std::string> lost;
  const Policy policy = Parsed(R"({"methods": [
      {"name": [{}], "mode": "OBSERVE", "maxDeadline": "1s",
       "waitForReady": true, "retryableCodes": ["UNAVAILABLE"]},
      {"name": [{"service": "a.S"}], "mode": "OFF", "maxDeadline": "1s"}]})");
  EXPECT_EQ(
      WriteServiceConfig(policy.client, &lost),
      "{\n  \"methodConfig\": [{\"name\": [{\"service\": \"a.S\"}]}]\n}\n");
  EXPECT_THAT(lost, ::testing::Contains(
                        "everything else: mode OBSERVE has no field there: "
                        "nothing is done there"));
}

}  // namespace
}  // namespace forbear
