#include "interceptors/policy_file/load_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/policy_file/field_list.h"
#include "interceptors/policy_file/policy_writer.h"

namespace forbear {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Policy Parsed(absl::string_view text) {
  const absl::StatusOr<Policy> policy = ParsePolicy(text, "shop");
  EXPECT_EQ(policy.status(), absl::OkStatus());
  return policy.value_or(Policy());
}

std::string ErrorOf(absl::string_view text) {
  const absl::Status status = ParsePolicy(text, "shop").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

std::string InTempDir(absl::string_view name, absl::string_view content) {
  const std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(PolicyFileTest, JsonAndTextFormatSayTheSame) {
  const Policy json = Parsed(R"({
      "methods": [{
          "name": [{"service": "shop.Routes", "method": "Estimate"}],
          "maxAttempts": 3, "attemptTimeout": "0.8s", "repeatable": true,
          "backoff": {"initial": "0.2s", "jitter": "EQUAL"},
          "classes": {"ABORTED": "TRANSIENT"}}],
      "targetBudget": {"ratio": 0.2},
      "targets": [{"target": "dns:///a:1",
                   "budget": {"throttle": {"maxTokens": 5}}}],
      "processBudget": {"burstWindow": "0s"},
      "server": {"mode": "OBSERVE", "minimumTimeLeft": "0.005s"}})");
  const Policy text = Parsed(R"(
      # What estimates are worth.
      methods {
        name { service: "shop.Routes" method: "Estimate" }
        max_attempts: 3
        attempt_timeout { nanos: 800000000 }
        repeatable: true
        backoff < initial: "0.2s", jitter: EQUAL >
        classes { key: "ABORTED" value: TRANSIENT }
      }
      target_budget { ratio: 0.2 }
      targets {
        target: "dns:///a:1"
        budget { throttle { max_tokens: 5 } }
      }
      process_budget { burst_window {} }
      server { mode: OBSERVE minimum_time_left { nanos: 5000000 } })");
  EXPECT_EQ(WritePolicy(text), WritePolicy(json));

  const MethodPolicy& found = json.client.methods.For("/shop.Routes/Estimate");
  EXPECT_EQ(found.max_attempts, 3);
  EXPECT_EQ(found.attempt_timeout, absl::Milliseconds(800));
  EXPECT_EQ(found.repeatable, Repeatable::kYes);
  EXPECT_EQ(found.backoff.initial, absl::Milliseconds(200));
  EXPECT_EQ(found.backoff.jitter, Jitter::kEqual);
  EXPECT_EQ(found.classes.Of(absl::StatusCode::kAborted),
            StatusClass::kTransient);
  EXPECT_EQ(json.client.BudgetOf("dns:///b:1").ratio, 0.2);
  EXPECT_EQ(json.client.BudgetOf("dns:///a:1").rule,
            RetryBudgetOptions::Rule::kThrottle);
  EXPECT_EQ(json.client.BudgetOf("dns:///a:1").max_tokens, 5);
  EXPECT_EQ(json.client.process_budget.burst_window, absl::ZeroDuration());
  EXPECT_EQ(json.server.mode, Mode::kObserve);
  EXPECT_EQ(json.server.minimum_time_left, absl::Milliseconds(5));
}

TEST(PolicyFileTest, WhatIsLeftOutHasTheDefaultOfTheCode) {
  const Policy policy = Parsed(R"({"methods": [{"name": [{}]}]})");
  EXPECT_TRUE(SameMeaning(policy.client.methods.For("/a.S/M"), MethodPolicy{}));
  EXPECT_TRUE(SameMeaning(policy.client.target_budget, RetryBudgetOptions{}));
  EXPECT_TRUE(SameMeaning(policy.server, ServerOptions{}));
}

TEST(PolicyFileTest, AttemptsUntilTheDeadlineAndANumberContradict) {
  EXPECT_EQ(Parsed(R"({"methods": [{"name": [{}],
                                    "attemptsUntilDeadline": true}]})")
                .client.methods.For("/a.S/M")
                .max_attempts,
            MethodPolicy::kUnlimitedAttempts);
  EXPECT_EQ(ErrorOf(R"({"methods": [{"name": [{}],
                      "attemptsUntilDeadline": true, "maxAttempts": 3}]})"),
            "shop: methods[0].maxAttempts: has no meaning beside "
            "attemptsUntilDeadline: leave one of them out");
}

TEST(PolicyFileTest, RetryableCodesAreTheWriterWord) {
  StatusClasses listed;
  listed.List({absl::StatusCode::kUnavailable, absl::StatusCode::kAborted});
  EXPECT_EQ(Parsed(R"({"methods": [{"name": [{}],
                       "retryableCodes": ["UNAVAILABLE", 10]}]})")
                .client.methods.For("/a.S/M")
                .classes,
            listed);
}

TEST(PolicyFileTest, AllErrorsAreReportedWithPlaceValueRuleAndRemedy) {
  EXPECT_EQ(ErrorOf(R"({
      "methods": [
        {"name": [{"service": "a.S"}], "maxAtempts": 3, "mode": "ON",
         "backoff": {"initial": "2s", "max": "90ms", "multiplier": "2"}},
        {"name": [{"service": "a.S"}], "retryableCodes": "UNAVAILABLE",
         "classes": {"LATE": "TRANSIENT", "OK": "LISTED", "ABORTED": "OFTEN"}},
        {"name": [{"service": "a/S", "methd": "M"}], "reserve": "2h"}],
      "budget": {}, "processBudget": {"ratio": -1, "throttle": {"ratio": 1}}})"),
            R"(shop: methods[0].mode: "ON" is none of OFF, OBSERVE, ENFORCE
shop: methods[0].backoff.multiplier: "2" is not a number: write 2 without quotes
shop: methods[0].backoff.max: "90ms" is not a duration: write seconds, as "0.09s"
shop: methods[0].maxAtempts: unknown field; is it maxAttempts?
shop: methods[1].name[0]: a.S was named before, at methods[0].name[0]
shop: methods[1].retryableCodes: "UNAVAILABLE" is not a list: put it between [ and ]
shop: methods[1].classes.LATE: "LATE" is not a status code, such as UNAVAILABLE or 14
shop: methods[1].classes.OK: OK is no failure, and has no class
shop: methods[1].classes.ABORTED: "OFTEN" is none of PERMANENT, TRANSIENT, THROTTLED, UNKNOWN_OUTCOME, CONFLICT, AMBIGUOUS, LISTED
shop: methods[2].name[0].service: "a/S" has a slash: service and method are fields of their own
shop: methods[2].name[0].methd: unknown field; is it method?
shop: methods[2].reserve: "2h" is not a duration: write seconds, as "7200s"
shop: processBudget.throttle.ratio: unknown field; is it tokenRatio?
shop: processBudget.ratio: has no meaning beside throttle: leave it out
shop: budget: unknown field; is it targetBudget?)");
}

TEST(PolicyFileTest, WhatTwoFieldsContradictIsAnErrorToo) {
  EXPECT_EQ(ErrorOf(R"({"methods": [{"name": [{}],
                        "backoff": {"initial": "2s", "max": "1s"}}]})"),
            "shop: methods[0].backoff.max: 1s is out of range [2s, 24h]");
}

TEST(PolicyFileTest, AServersLimitsContradictEachOtherWithAnErrorToo) {
  EXPECT_EQ(ErrorOf(R"({"server": {"leastConcurrentCalls": 4}})"),
            "shop: server.least_concurrent_calls: 4 is out of "
            "range [0, 0], up to max_concurrent_calls");
}

TEST(PolicyFileTest, NumbersThatAreNoneOrTooLargeAreRefused) {
  EXPECT_THAT(ErrorOf(R"({"methods": [{"name": [{}], "maxAttempts": NaN}]})"),
              StartsWith("shop: 1:44: syntax error"));
  EXPECT_EQ(ErrorOf("methods { name {} max_attempts: nan }"),
            "shop: methods.max_attempts: nan is not a number");
  EXPECT_EQ(
      ErrorOf(R"({"methods": [{"name": [{}], "maxAttempts": 1e308}]})"),
      "shop: methods[0].maxAttempts: 1e308 is out of range, must be from 1 to "
      "2147483647");
  EXPECT_EQ(ErrorOf(R"({"methods": [{"name": [{}], "maxAttempts": 1e309}]})"),
            "shop: 1:48: number overflow parsing '1e309'");
  EXPECT_EQ(
      ErrorOf(R"({"methods": [{"name": [{}], "p99": 1e308, "backoff": {
                "initial": "NaN", "max": "1e308s", "multiplier": 1e308}}]})"),
      R"(shop: methods[0].backoff.initial: "NaN" is not a duration: write seconds, as "0.25s"
shop: methods[0].backoff.multiplier: 1e308 is out of range, must be from 1 to 1000000000
shop: methods[0].backoff.max: "1e308s" is not a duration: write seconds, as "0.25s"
shop: methods[0].p99: 1e308 is not a duration: write seconds, as "0.25s")");
  EXPECT_EQ(
      ErrorOf("methods { name {} p99: -inf backoff { multiplier: inf } }"),
      R"(shop: methods.backoff.multiplier: inf is not a number
shop: methods.p99: -inf is not a duration: write seconds, as "0.25s")");
  EXPECT_EQ(ErrorOf(R"({"methods": [{"name": [{}], "maxAttempts": 2.5}]})"),
            "shop: methods[0].maxAttempts: 2.5 is not a whole number");
}

TEST(PolicyFileTest, EmptyFilesAreErrors) {
  EXPECT_EQ(ErrorOf(""), "shop: is empty");
  EXPECT_EQ(ErrorOf(" \n\t"), "shop: is empty");
  EXPECT_EQ(ErrorOf("{}"),
            "shop: says nothing: name methods (of a policy file) or "
            "methodConfig (of a gRPC service config)");
  EXPECT_EQ(ErrorOf("[]"),
            "shop: a list is not an object: its fields go between { and }");
}

TEST(PolicyFileTest, ANameThatStandsTwiceIsAnError) {
  EXPECT_EQ(ErrorOf(R"({"methods": [], "methods": []})"),
            "shop: methods: stands here twice: leave one of them out");
  EXPECT_EQ(
      ErrorOf(R"({"methods": [{"name": [{}], "maxAttempts": 2,
                        "max_attempts": 3, "backoff": {"max": "1s",
                        "max": "2s"}, "maxDeadline": 1}]})"),
      R"(shop: methods[0].max_attempts: stands here twice: leave one of them out
shop: methods[0].maxDeadline: 1 is not a duration: write seconds, as "1s"
shop: methods[0].backoff.max: stands here twice: leave one of them out)");
  EXPECT_EQ(
      ErrorOf("methods { name {} max_attempts: 2 max_attempts: 3 "
              "backoff {} backoff {} reserve: 1 }"),
      R"(shop: methods.max_attempts: stands here 2 times, and has one value: leave the others out
shop: methods.reserve: 1 is not a duration: write seconds, as "1s"
shop: methods.backoff: stands here 2 times, and has one value: leave the others out)");
}

TEST(PolicyFileTest, ACodeHasOneClassHoweverItIsWritten) {
  EXPECT_EQ(ErrorOf(R"({"methods": [{"name": [{}], "classes": {
                "ABORTED": "TRANSIENT", "10": "PERMANENT"}}]})"),
            "shop: methods[0].classes.10: ABORTED has a class already: leave "
            "one of them out");
  EXPECT_EQ(ErrorOf("methods { name {} "
                    "classes { key: 'ABORTED' value: TRANSIENT } "
                    "classes { key: 'aborted' value: PERMANENT } }"),
            "shop: methods.classes[1]: ABORTED has a class already: leave one "
            "of them out");
}

TEST(PolicyFileTest, AnUnknownFieldIsToldWhatIsKnown) {
  EXPECT_EQ(ErrorOf(R"({"methodConfigs": []})"),
            "shop: methodConfigs: unknown field; is it methodConfig?");
  EXPECT_EQ(
      ErrorOf(R"({"targets": [{"zzz": 1, "target": "a", "budget": {}}]})"),
      "shop: targets[0].zzz: unknown field: leave it out; known are "
      "target, budget");
}

TEST(PolicyFileTest, DeepNestingIsRefusedAndOverflowsNothing) {
  for (absl::string_view open : {"[", "{\"a\":"}) {
    std::string deep = R"({"methods": )";
    for (int i = 0; i < 1'000'000 / 2; ++i) absl::StrAppend(&deep, open);
    EXPECT_EQ(ErrorOf(deep),
              absl::StrCat("shop: methods", open == "[" ? "[0][0]" : ".a.a",
                           ": is nested deeper than 32, which no policy is"));
  }
  std::string deep;
  for (int i = 0; i < 500'000; ++i) absl::StrAppend(&deep, "methods{");
  EXPECT_EQ(ErrorOf(deep),
            "shop: 1:257: is nested deeper than 32, which no policy is");
}

TEST(PolicyFileTest, TextThatIsNotUtf8IsRefused) {
  EXPECT_THAT(ErrorOf("{\"methods\": [{\"name\": [{\"service\": \"\xff\"}]}]}"),
              StartsWith("shop: 1:37: syntax error while parsing value - "
                         "invalid string: ill-formed UTF-8 byte"));
  EXPECT_EQ(ErrorOf("methods { name { service: \"\\377\" } }"),
            "shop: methods.name.service: \"\\xff\" has characters that "
            "are not printable ASCII");
  EXPECT_EQ(ErrorOf("methods { name { service: \"\xff\" } }"),
            "shop: methods.name.service: \"\\xff\" has characters that "
            "are not printable ASCII");
  EXPECT_EQ(ErrorOf("\xff\xfe{"),  // UTF-16.
            "shop: 1:1: Interpreting non ascii codepoint 255. (read as text "
            "format: JSON begins with a brace)");
}

TEST(PolicyFileTest, WhatIsNoPolicyAtAllSaysWhereItEnds) {
  EXPECT_EQ(ErrorOf("hello"),
            "shop: 1:6: the end of the file stands where ':' should (read as "
            "text format: JSON begins with a brace)");
  EXPECT_EQ(ErrorOf(R"({"methods": [], })"),
            "shop: 1:17: syntax error while parsing object key - unexpected "
            "'}'; expected string literal");
}

TEST(PolicyFileTest, OnlyTheFirstHundredErrorsAreSpelledOut) {
  std::string text = "{\"methods\": [";
  for (int i = 0; i < 150; ++i) absl::StrAppend(&text, i ? "," : "", i);
  const std::string error = ErrorOf(absl::StrCat(text, "]}"));
  EXPECT_THAT(error, HasSubstr("shop: methods[99]: 99 is not an object"));
  EXPECT_THAT(error, ::testing::EndsWith("\nshop: has 50 more errors"));
}

TEST(PolicyFileTest, AServersLimitsAreOfSingleMethods) {
  const Policy policy = Parsed(R"({"server": {
      "maxConcurrentCalls": 100, "leastConcurrentCalls": 10,
      "enforceMeasuredTime": true,
      "defaultDeadline": "10s", "maxDeadline": "60s",
      "queue": {"target": "0.05s", "maxTime": "1s", "maxCalls": 50},
      "trustedPeers": ["spiffe://shop/gateway"],
      "methods": [{"name": [{"service": "a.S", "method": "M"},
                            {"service": "a.S", "method": "N"}],
                   "maxConcurrentCalls": 4}]}})");
  EXPECT_EQ(policy.server.max_concurrent_calls, 100);
  EXPECT_EQ(policy.server.least_concurrent_calls, 10);
  EXPECT_TRUE(policy.server.enforce_measured_time);
  EXPECT_EQ(policy.server.default_deadline, absl::Seconds(10));
  EXPECT_EQ(policy.server.max_deadline, absl::Seconds(60));
  EXPECT_EQ(policy.server.queue.target, absl::Milliseconds(50));
  EXPECT_EQ(policy.server.queue.max_time, absl::Seconds(1));
  EXPECT_EQ(policy.server.queue.max_calls, 50);
  EXPECT_THAT(policy.server.trusted_peers,
              ::testing::ElementsAre("spiffe://shop/gateway"));
  EXPECT_EQ(policy.server.methods.at("a.S/N").max_concurrent_calls, 4);
  EXPECT_EQ(WritePolicy(Parsed(WritePolicy(policy))), WritePolicy(policy));
  EXPECT_EQ(ErrorOf(R"({"server": {"methods": [{"name": [{"service": "a.S"}],
                                                "maxConcurrentCalls": -1}]}})"),
            "shop: server.methods[0].maxConcurrentCalls: -1 is out of range, "
            "must be from 0 to 1000000\n"
            "shop: server.methods[0].name: a server's limit is of one method: "
            "name its service and its method");
}

TEST(LoadPolicyTest, ReadsAFileAndNamesItInErrors) {
  const std::string path = InTempDir("one.json", R"({"methods": 3})");
  EXPECT_EQ(LoadPolicy(path).status(),
            absl::InvalidArgumentError(absl::StrCat(
                path, ": methods: 3 is not a list: put it between [ and ]")));
}

TEST(LoadPolicyTest, AMissingFileAFolderAndAHugeFileSaySo) {
  const std::string folder = std::getenv("TEST_TMPDIR");
  EXPECT_EQ(LoadPolicy(folder + "/none").status(),
            absl::NotFoundError(absl::StrCat(
                folder, "/none: cannot be read: No such file or directory")));
  EXPECT_EQ(LoadPolicy(folder).status(),
            absl::FailedPreconditionError(
                absl::StrCat(folder, ": cannot be read: Is a directory")));
  const std::string huge = InTempDir("huge", std::string(10'000'000, ' '));
  EXPECT_EQ(LoadPolicy(huge).status(),
            absl::InvalidArgumentError(
                absl::StrCat(huge,
                             ": is larger than 4 MiB, which no policy is: "
                             "split it by service")));
  EXPECT_EQ(ParsePolicy(std::string(10'000'000, '['), "shop").status(),
            absl::InvalidArgumentError("shop: is larger than 4 MiB, which no "
                                       "policy is: split it by service"));
}

TEST(LoadPolicyTest, AFileThatCannotBeReadSaysWhy) {
  // A process's memory can be opened, and not be read from its start.
  EXPECT_EQ(LoadPolicy("/proc/self/mem").status(),
            absl::FailedPreconditionError(
                "/proc/self/mem: cannot be read: Input/output error"));
  const std::string secret = InTempDir("secret", R"({"methods": []})");
  ASSERT_EQ(chmod(secret.c_str(), 0), 0);
  if (geteuid() == 0) return;  // Who may read everything.
  EXPECT_EQ(LoadPolicy(secret).status(),
            absl::FailedPreconditionError(
                absl::StrCat(secret, ": cannot be read: Permission denied")));
}

}  // namespace
}  // namespace forbear
