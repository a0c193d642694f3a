// The policy tool as a program: what it prints, and how it exits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "tests/examples/programs.h"

namespace policy_tool {
namespace {

using storm::testing::Ended;
using storm::testing::RunToEnd;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr absl::string_view kShop = R"({
  "methods": [
    {"name": [{"service": "shop.Routes", "method": "Estimate"}],
     "attemptTimeout": "0.8s", "maxDeadline": "2s", "p99": "0.9s"},
    {"name": [{"service": "shop.Dispatch"}],
     "maxAttempts": 3, "maxDeadline": "5s", "backoff": {"jitter": "NONE"}},
    {"name": [{}], "maxAttempts": 1, "classes": {"UNAVAILABLE": "PERMANENT"}}]
})";

// Of //proto:shop_proto, which is in the runfiles.
constexpr absl::string_view kDescriptors =
    " --descriptors=proto/shop_proto-descriptor-set.proto.bin";

std::string Folder() { return std::getenv("TEST_TMPDIR"); }

std::string File(absl::string_view name, absl::string_view content) {
  const std::string path = absl::StrCat(Folder(), "/", name);
  std::ofstream(path) << content;
  return path;
}

Ended RunTool(absl::string_view arguments) {
  return RunToEnd("policy", std::string(arguments));
}

// The output with the folder of this test taken out of it.
std::string OutputOf(absl::string_view arguments) {
  return absl::StrReplaceAll(RunTool(arguments).output, {{Folder() + "/", ""}});
}

TEST(PolicyToolTest, CheckWarnsOfWhatIsLegalAndFoolish) {
  const std::string shop = File("shop.json", kShop);
  EXPECT_EQ(
      OutputOf(absl::StrCat("check ", shop, kDescriptors)),
      R"(shop.json: shop.Dispatch: no jitter: callers that fail together come back together; take FULL (warning)
shop.json: shop.Dispatch/Assign: retries on DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE wait for a proof that nothing was applied: nothing says that it is repeatable (warning)
shop.json: shop.Routes/Estimate: an attempt timeout of 0.8s is under the published p99 of 0.9s: calls that would succeed are cut off and sent again (warning)
shop.json: shop.Routes/Estimate: if each attempt takes its 0.8s, 3 of 4 fit in 2s: the rest is never sent (warning)
shop.json: sound, warnings: 4
)");
  EXPECT_EQ(RunTool("check " + shop).exit_status, 0);
}

TEST(PolicyToolTest, CheckTellsAllErrorsOfAllFilesAndFails) {
  const std::string good = File("good.json", R"({"methods": []})");
  const std::string bad =
      File("bad.json", R"({"methods": [{"name": [{}], "maxAttempts": 0,
                                        "defer": 1}]})");
  const std::string arguments = absl::StrCat("check ", bad, " ", good);
  EXPECT_EQ(RunTool(arguments).exit_status, 1);
  EXPECT_EQ(
      OutputOf(arguments),
      R"(bad.json: methods[0].maxAttempts: 0 is out of range, must be from 1 to 2147483647
bad.json: methods[0].defer: 1 is neither true nor false (without quotes)
good.json: sound, warnings: 0
)");
}

TEST(PolicyToolTest, CheckSaysWhereAListedCodeMayRepeatTooMuch) {
  const std::string listed = File("listed.json", R"({"methodConfig": [{
      "name": [{"service": "shop.Dispatch"}], "timeout": "1s",
      "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s",
          "maxBackoff": "1s", "backoffMultiplier": 2,
          "retryableStatusCodes": ["UNAVAILABLE"]}}]})");
  EXPECT_EQ(
      OutputOf(absl::StrCat("check ", listed, kDescriptors)),
      R"(listed.json: shop.Dispatch/Assign: lists UNAVAILABLE, and its .proto does not say that it is idempotent: it may be done twice (warning)
listed.json: sound, warnings: 1
)");
}

TEST(PolicyToolTest, ExplainPrintsTheTableForApiDocuments) {
  const std::string shop = File("shop.json", kShop);
  EXPECT_EQ(OutputOf(absl::StrCat("explain ", shop, " shop.Routes/Estimate",
                                  kDescriptors)),
            R"(## shop.Routes/Estimate (NO_SIDE_EFFECTS)

The server publishes a p99 of 0.9s.

| status | retried | why |
|---|---|---|
| CANCELLED, INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED, DATA_LOSS, UNAUTHENTICATED | no | the answer is an answer |
| UNKNOWN, INTERNAL | no | nobody knows what happened |
| DEADLINE_EXCEEDED | yes | may have been done, or not; may be done twice: its .proto says so |
| RESOURCE_EXHAUSTED | after the server's delay | the server is short of something; may be done twice: its .proto says so |
| ABORTED | no | lost a race: read again, then make a new call |
| UNAVAILABLE | yes | may pass by itself; may be done twice: its .proto says so |
| an attempt's own 0.8s are over | yes | may have been done, or not; may be done twice: its .proto says so |

| attempt | starts after the last has failed |
|---|---|
| 1 | at once |
| 2 | 0s to 0.1s |
| 3 | 0s to 0.2s |
| 4 | 0s to 0.4s |

The longest a call can take: 2s, or its caller's deadline if that is earlier.

The most load it can add: 3 more attempts of a call. Of all calls of a process to a target: 10 % of calls, and 10 at once, and 0.1 a second. To all its targets together: 10 % of calls, and 10 at once, and 0.1 a second.
)");
}

TEST(PolicyToolTest, ExplainGoesThroughAllMethodsOfADescriptorSet) {
  const std::string shop = File("shop.json", kShop);
  const std::string all =
      OutputOf(absl::StrCat("explain ", shop, kDescriptors));
  EXPECT_THAT(all,
              StartsWith("## shop.Dispatch/Assign (IDEMPOTENCY_UNKNOWN)\n\nBy "
                         "the policy of shop.Dispatch.\n"));
  EXPECT_THAT(all, HasSubstr("\nBy the policy of everything that the file does "
                             "not name.\n"));
  EXPECT_THAT(all, HasSubstr("\n## shop.Gateway/PlaceOrder"));
  EXPECT_THAT(all, HasSubstr("\nOne attempt.\n"));
  EXPECT_THAT(all, HasSubstr("\n## shop.Routes/Estimate"));
}

TEST(PolicyToolTest, DiffFlagsWhatClientsWereRetriedOnAndNoLongerAre) {
  const std::string before = File("before.json", R"({
      "methods": [{"name": [{"service": "a.S"}], "repeatable": true}],
      "targets": [{"target": "a:1", "budget": {"ratio": 0.2}}]})");
  const std::string after = File("after.json", R"({
      "methods": [{"name": [{"service": "a.S"}], "repeatable": true,
                   "maxDeadline": "3s",
                   "classes": {"UNAVAILABLE": "PERMANENT",
                               "ABORTED": "TRANSIENT"}}]})");
  EXPECT_EQ(OutputOf(absl::StrCat("diff ", before, " ", after)),
            R"(a.S: ABORTED retried: yes; was: no
a.S: UNAVAILABLE retried: no; was: yes (BREAKING for clients)
a.S: max_deadline is 3s, was none
targets[a:1]: ratio is 0.1, was 0.2
)");
  EXPECT_EQ(OutputOf(absl::StrCat("diff ", before, " ", before)),
            "no difference in meaning\n");
}

TEST(PolicyToolTest, ConvertSaysWhatEnvoyCannotSay) {
  const std::string shop = File("envoy.json", R"({"methods": [
      {"name": [{"service": "a.S"}], "maxDeadline": "2s",
       "attemptTimeout": "0.5s", "repeatable": true, "defer": false,
       "classes": {"DATA_LOSS": "LISTED"}, "reserve": "0.1s"},
      {"name": [{"service": "a.S", "method": "M"}], "maxAttempts": 1},
      {"name": [{}], "maxAttempts": 1}]})");
  const Ended json = RunTool(absl::StrCat(
      "convert ", shop, " --to=envoy --cluster=s 2>/dev/null; true"));
  EXPECT_EQ(json.output, R"({
  "routes": [
    {
      "match": {"path": "/a.S/M", "grpc": {}},
      "route": {"cluster": "s", "timeout": "0s"}
    },
    {
      "match": {"prefix": "/a.S/", "grpc": {}},
      "route": {
        "cluster": "s",
        "timeout": "2s",
        "retry_policy": {
          "retry_on": "deadline-exceeded,unavailable",
          "num_retries": 3,
          "per_try_timeout": "0.5s",
          "retry_back_off": {"base_interval": "0.1s", "max_interval": "10s"}
        }
      }
    },
    {
      "match": {"prefix": "/", "grpc": {}},
      "route": {"cluster": "s", "timeout": "0s"}
    }
  ],
  "circuit_breakers": {
    "thresholds": [
      {
        "retry_budget": {"budget_percent": {"value": 10}, "min_retry_concurrency": 10}
      }
    ]
  }
}
)");
  EXPECT_EQ(RunTool(absl::StrCat("convert ", shop,
                                 " --to=envoy 2>&1 >/dev/null; true"))
                .output,
            "a.S: reserve 0.1s has no field there: left out\n"
            "a.S: RESOURCE_EXHAUSTED is retried after the server's delay: not "
            "retried there\n"
            "a.S: DATA_LOSS is no condition of retry_on: not retried there\n"
            "target_budget: ratio 0.1, ceiling 10, burst_window 1s, floor 0.1 "
            "becomes 10 % of the requests under way, not of the calls made, "
            "and 10 retries that may be under way always; burst_window and "
            "floor have no field there\n"
            "process_budget: ratio 0.1, ceiling 10, burst_window 1s, floor 0.1 "
            "has no field there: left out\n");
}

TEST(PolicyToolTest, ConvertGivesEnvoyDefaultDeadlinesAndHedges) {
  const std::string shop = File("hedged.json", R"({"methods": [
      {"name": [{"service": "a.S", "method": "M"}], "repeatable": true,
       "defaultDeadline": "3s", "maxDeadline": "2s", "attemptTimeout": "0.5s",
       "hedging": {"maxAttempts": 3, "delay": "0.02s", "percentile": 0.95,
                   "assumeRead": true}},
      {"name": [{"service": "a.S"}], "maxAttempts": 1, "repeatable": true,
       "hedging": {"delay": "0.02s"}},
      {"name": [{}], "maxAttempts": 1, "hedging": {"assumeRead": true, "cap": 1},
       "classes": {"UNAVAILABLE": "PERMANENT", "RESOURCE_EXHAUSTED": "PERMANENT",
                   "DEADLINE_EXCEEDED": "PERMANENT"}}]})");
  const Ended json = RunTool(absl::StrCat(
      "convert ", shop, " --to=envoy --cluster=s 2>/dev/null; true"));
  EXPECT_THAT(json.output, HasSubstr(R"(
      "match": {"path": "/a.S/M", "grpc": {}},
      "route": {
        "cluster": "s",
        "timeout": "2s",
        "max_stream_duration": {"max_stream_duration": "2s", "grpc_timeout_header_max": "0s"},
        "retry_policy": {
          "retry_on": "deadline-exceeded,unavailable",
          "num_retries": 2,
          "per_try_timeout": "0.02s"
        },
        "hedge_policy": {"hedge_on_per_try_timeout": true}
      }
    },
    {
      "match": {"prefix": "/a.S/", "grpc": {}},
      "route": {"cluster": "s", "timeout": "0s"}
    },
    {
      "match": {"prefix": "/", "grpc": {}},
      "route": {"cluster": "s", "timeout": "0s"}
    }
)"));
  EXPECT_THAT(
      RunTool(
          absl::StrCat("convert ", shop, " --to=envoy 2>&1 >/dev/null; true"))
          .output,
      StartsWith("a.S/M: RESOURCE_EXHAUSTED is retried after the server's "
                 "delay: not retried there\n"
                 "a.S/M: hedging.percentile 0.95, once 100 calls are measured, "
                 "has no field there: hedged after 0.02s\n"
                 "a.S/M: hedging.cap 0.05 has no field there: the retry budget "
                 "holds alone\n"
                 "a.S/M: attempt_timeout 0.5s gives way to the delay of "
                 "hedges\n"
                 "a.S: is hedged where the .proto says NO_SIDE_EFFECTS: not "
                 "hedged there\n"
                 "everything else: hedging needs a code that is retried: not "
                 "hedged there\n"));
}

TEST(PolicyToolTest, CheckWarnsOfDeadlinesThatCannotBeMeant) {
  const std::string shop = File("deadlines.json", R"({"methods": [
      {"name": [{}], "maxAttempts": 1, "p99": "0.9s",
       "defaultDeadline": "0.8s", "maxDeadline": "0.7s"}]})");
  EXPECT_EQ(
      OutputOf(absl::StrCat("check ", shop)),
      "deadlines.json: everything else: a default deadline of 0.8s is under "
      "the published p99 of 0.9s (warning)\n"
      "deadlines.json: everything else: a maximum deadline of 0.7s is under "
      "the published p99 of 0.9s (warning)\n"
      "deadlines.json: everything else: a default deadline of 0.8s is over the "
      "maximum of 0.7s: the maximum holds (warning)\n"
      "deadlines.json: sound, warnings: 3\n");
}

TEST(PolicyToolTest, CheckWarnsOfAttemptsThatTheWaitsLeaveNoTimeFor) {
  const std::string slow = File("slow.json", R"({"methods": [
      {"name": [{"service": "a.S"}], "retryableCodes": ["UNAVAILABLE"],
       "backoff": {"initial": "1s", "jitter": "EQUAL"}, "maxDeadline": "1s"},
      {"name": [{"service": "a.T"}], "retryableCodes": ["UNAVAILABLE"],
       "attemptTimeout": "0.4s", "defaultDeadline": "1s"},
      {"name": [{}], "maxAttempts": 1}]})");
  EXPECT_EQ(OutputOf(absl::StrCat("check ", slow)),
            "slow.json: a.S: even if each attempt fails at once, 2 of 4 fit in "
            "1s: the rest is never sent (warning)\n"
            "slow.json: a.T: if each attempt takes its 0.4s, 3 of 4 fit in 1s: "
            "the rest is never sent (warning)\n"
            "slow.json: sound, warnings: 2\n");
}

TEST(PolicyToolTest, ExplainSaysWhatACallWithoutADeadlineGets) {
  const std::string shop = File("default.json", R"({"methods": [
      {"name": [{}], "defaultDeadline": "0.8s", "maxDeadline": "3s"}]})");
  EXPECT_THAT(OutputOf(absl::StrCat("explain ", shop)),
              HasSubstr("\nA call without a deadline gets 0.8s.\n\nThe longest "
                        "a call can take: 3s, or its caller's deadline if that "
                        "is earlier.\n"));
}

TEST(PolicyToolTest, ConvertKeepsTheMeaningOfAServiceConfig) {
  const std::string config = File("config.json", R"({"methodConfig": [{
      "name": [{"service": "a.S"}], "timeout": "1s",
      "retryPolicy": {"initialBackoff": "0.1s", "maxBackoff": "1s",
          "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]})");
  const std::string ours =
      File("ours.json",
           RunTool(absl::StrCat("convert ", config, " --to=forbear")).output);
  EXPECT_EQ(OutputOf(absl::StrCat("diff ", config, " ", ours)),
            "no difference in meaning\n");
  EXPECT_EQ(RunTool(absl::StrCat("convert ", ours,
                                 " --to=service-config 2>&1 >/dev/null; true"))
                .output,
            "a.S: attempts without limit become 5, the most that gRPC makes\n"
            "target_budget: ratio 0.1, ceiling 10, burst_window 1s, floor 0.1 "
            "has no field there (retryThrottling looks at outcomes, not at "
            "calls): left out\n"
            "process_budget: ratio 0.1, ceiling 10, burst_window 1s, floor 0.1 "
            "has no field there: left out\n");
}

TEST(PolicyToolTest, AWrongCommandSaysWhatIsRight) {
  for (absl::string_view wrong :
       {"", "explode", "check", "diff a", "convert a --to=yaml", "explain"}) {
    const Ended ended = RunTool(wrong);
    EXPECT_EQ(ended.exit_status, 2) << wrong;
    EXPECT_THAT(ended.output, HasSubstr("explain FILE [METHOD]")) << wrong;
  }
  const Ended missing = RunTool("explain nowhere.json");
  EXPECT_EQ(missing.exit_status, 1);
  EXPECT_EQ(missing.output,
            "nowhere.json: cannot be read: No such file or directory\n");
}

TEST(PolicyToolTest, WhatIsNoDescriptorSetSaysSo) {
  const std::string shop = File("shop.json", kShop);
  const Ended ended =
      RunTool(absl::StrCat("check ", shop, " --descriptors=", shop));
  EXPECT_EQ(ended.exit_status, 1);
  EXPECT_THAT(ended.output, HasSubstr("shop.json: is no descriptor set"));
  EXPECT_THAT(ended.output, Not(HasSubstr("sound")));
}

}  // namespace
}  // namespace policy_tool
