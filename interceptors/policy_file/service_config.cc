#include "interceptors/policy_file/service_config.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/policy_file/method_names.h"
#include "interceptors/policy_file/tree_object.h"
#include "interceptors/policy_file/tree_values.h"

namespace forbear {
namespace {

constexpr double kMostAttempts = 5;  // gRFC A6: more count as this.

// Nothing is retried, and nothing is said about it.
MethodPolicy NoRetries() {
  MethodPolicy policy;
  policy.max_attempts = 1;
  policy.classes.List({});
  return policy;
}

// Null, and an error, if it is not there.
const Tree* Needed(TreeObject& object, absl::string_view name,
                   Problems* problems) {
  const Tree* const found = object.Find(name);
  if (found == nullptr && object.is_object()) {
    problems->Error(object.Place(name), "is missing, and has no default");
  }
  return found;
}

std::optional<absl::Duration> NeededDuration(TreeObject& object,
                                             absl::string_view name,
                                             absl::Duration max,
                                             Problems* problems) {
  const Tree* const found = Needed(object, name, problems);
  if (found == nullptr) return std::nullopt;
  return ReadDuration(*found, object.Place(name), {absl::Microseconds(1), max},
                      problems);
}

std::optional<int> Attempts(const Tree& tree, const std::string& place,
                            absl::string_view policy, Problems* problems) {
  const auto read =
      ReadWhole(tree, place, {2}, problems,
                absl::StrCat(" (1 means no ",
                             policy == "retryPolicy" ? "retries" : "hedges",
                             ": leave ", policy, " out)"));
  if (!read) return std::nullopt;
  if (*read > kMostAttempts) {
    problems->Warning(place, absl::StrCat(*read,
                                          " counts as 5, the most that "
                                          "gRPC makes"));
  }
  return static_cast<int>(std::min<double>(*read, kMostAttempts));
}

// Codes that are no failure are errors here, as in gRFC A6.
std::vector<absl::StatusCode> Codes(TreeObject& object, absl::string_view name,
                                    Problems* problems) {
  std::vector<absl::StatusCode> codes;
  for (const auto& [tree, place] : object.List(name)) {
    const auto code = ReadCode(*tree, place, problems);
    if (code == absl::StatusCode::kOk) {
      problems->Error(place, "OK is no failure: leave it out");
    } else if (code) {
      codes.push_back(*code);
    }
  }
  return codes;
}

void ReadMultiplier(TreeObject& retry, MethodPolicy& policy,
                    Problems* problems) {
  const Tree* const found = Needed(retry, "backoffMultiplier", problems);
  if (found == nullptr) return;
  const std::string place = retry.Place("backoffMultiplier");
  if (found->kind == Tree::Kind::kNumber && found->number <= 0) {
    problems->Error(place, absl::StrCat(found->Show(),
                                        " is out of range, must "
                                        "be more than 0"));
    return;
  }
  const auto read = ReadNumber(*found, place, {0, 1e9}, problems);
  if (!read) return;
  if (*read < 1) {
    problems->Warning(place, absl::StrCat(found->Show(),
                                          " counts as 1: waits do not shrink"));
  }
  policy.backoff.multiplier = std::max(*read, 1.0);
}

void ReadBackoff(TreeObject& retry, MethodPolicy& policy, Problems* problems) {
  policy.backoff.jitter = Jitter::kProportional;
  const auto initial =
      NeededDuration(retry, "initialBackoff", absl::Hours(1), problems);
  const auto max =
      NeededDuration(retry, "maxBackoff", absl::Hours(24), problems);
  ReadMultiplier(retry, policy, problems);
  if (!initial || !max) return;
  // Each wait is min(initial x ..., max), the first included.
  policy.backoff.initial = std::min(*initial, *max);
  policy.backoff.max = *max;
  policy.backoff.resolution =
      std::min(policy.backoff.resolution, policy.backoff.initial);
}

void ReadRetries(const Tree& tree, const std::string& place,
                 MethodPolicy& policy, Problems* problems) {
  TreeObject retry(tree, place, problems);
  policy.max_attempts = MethodPolicy::kUnlimitedAttempts;
  if (const Tree* const attempts = retry.Find("maxAttempts")) {
    policy.max_attempts =
        Attempts(*attempts, retry.Place("maxAttempts"), "retryPolicy", problems)
            .value_or(policy.max_attempts);
  }
  ReadBackoff(retry, policy, problems);
  const int errors = problems->errors();
  const auto codes = Codes(retry, "retryableStatusCodes", problems);
  if (codes.empty() && retry.is_object() && problems->errors() == errors) {
    problems->Error(retry.Place("retryableStatusCodes"),
                    "is empty, so nothing can ever be retried: name a code "
                    "(\"UNAVAILABLE\"), or leave retryPolicy out");
  }
  policy.classes.List(codes);
  if (const Tree* const timeout = retry.Find("perAttemptRecvTimeout")) {
    policy.attempt_timeout =
        ReadDuration(*timeout, retry.Place("perAttemptRecvTimeout"),
                     {absl::Milliseconds(1)}, problems)
            .value_or(policy.attempt_timeout);
  }
  retry.RefuseRest();
}

// gRPC hedges whatever its operator says, and without a cap.
void ReadHedging(const Tree& tree, const std::string& place,
                 MethodPolicy& policy, Problems* problems) {
  TreeObject hedging(tree, place, problems);
  policy.hedging.assume_read = true;
  policy.hedging.cap = 1;
  if (const Tree* const attempts = Needed(hedging, "maxAttempts", problems)) {
    policy.hedging.max_attempts =
        Attempts(*attempts, hedging.Place("maxAttempts"), "hedgingPolicy",
                 problems)
            .value_or(2);
  }
  if (const Tree* const delay = hedging.Find("hedgingDelay")) {
    policy.hedging.delay =
        ReadDuration(*delay, hedging.Place("hedgingDelay"),
                     {absl::ZeroDuration(), absl::Hours(1)}, problems)
            .value_or(policy.hedging.delay);
  }
  policy.classes.List(Codes(hedging, "nonFatalStatusCodes", problems));
  hedging.RefuseRest();
}

void LeftToGrpc(TreeObject& object, absl::string_view name,
                Problems* problems) {
  if (object.Find(name) != nullptr) {
    problems->Warning(object.Place(name),
                      "is left to gRPC: forbear reads what "
                      "is about retries and time");
  }
}

void ReadMethod(const Tree& tree, const std::string& place, MethodNames& names,
                PolicyTable& table, Problems* problems) {
  const int errors = problems->errors();
  TreeObject method(tree, place, problems);
  const std::vector<std::string> found = names.Read(method);
  MethodPolicy policy = NoRetries();
  if (const Tree* const timeout = method.Find("timeout")) {
    policy.max_deadline = ReadDuration(*timeout, method.Place("timeout"),
                                       {absl::Milliseconds(1)}, problems)
                              .value_or(policy.max_deadline);
  }
  if (const Tree* const wait = method.Find("waitForReady")) {
    policy.wait_for_ready =
        ReadFlag(*wait, method.Place("waitForReady"), problems);
  }
  if (const Tree* const retry = method.Find("retryPolicy")) {
    ReadRetries(*retry, method.Place("retryPolicy"), policy, problems);
  }
  if (const Tree* const hedging = method.Find("hedgingPolicy")) {
    ReadHedging(*hedging, method.Place("hedgingPolicy"), policy, problems);
    if (method.Find("retryPolicy") != nullptr) {
      problems->Error(
          method.Place("hedgingPolicy"),
          "stands beside a retryPolicy: a method retries or hedges, "
          "leave one of them out");
    }
  }
  LeftToGrpc(method, "maxRequestMessageBytes", problems);
  LeftToGrpc(method, "maxResponseMessageBytes", problems);
  method.RefuseRest();
  if (problems->errors() == errors) {
    const absl::Status valid = policy.Validate(absl::StrCat(place, "."));
    if (!valid.ok()) problems->Error("", valid.message());
  }
  for (const std::string& name : found) table.Set(name, policy);
}

// To three decimals: gRFC A6 lets the rest fall.
std::optional<double> Thousandths(TreeObject& object, absl::string_view name,
                                  NumberRange range, Problems* problems) {
  const Tree* const found = Needed(object, name, problems);
  if (found == nullptr) return std::nullopt;
  const std::string place = object.Place(name);
  const auto read = ReadNumber(*found, place, range, problems);
  if (!read) return std::nullopt;
  // 0.007 x 1000 may come out a little less than 7.
  const double kept = std::floor(*read * 1000 + 1e-6) / 1000;
  if (std::abs(kept - *read) > 1e-9) {
    problems->Warning(
        place, absl::StrCat(found->Show(), " counts as ", WriteNumber(kept),
                            ": three decimals are kept"));
  }
  return kept;
}

void ReadThrottling(const Tree& tree, const std::string& place,
                    RetryBudgetOptions& budget, Problems* problems) {
  TreeObject throttle(tree, place, problems);
  budget.rule = RetryBudgetOptions::Rule::kThrottle;
  budget.max_tokens =
      Thousandths(throttle, "maxTokens", {0.001, 1000}, problems)
          .value_or(budget.max_tokens);
  budget.token_ratio =
      Thousandths(throttle, "tokenRatio", {0.001, 1e6}, problems)
          .value_or(budget.token_ratio);
  throttle.RefuseRest();
}

constexpr absl::string_view kNotAboutCalls[] = {
    "loadBalancingPolicy", "loadBalancingConfig", "healthCheckConfig"};

}  // namespace

bool IsServiceConfig(const Tree& tree) {
  if (tree.Find("methodConfig") != nullptr) return true;
  if (tree.Find("retryThrottling") != nullptr) return true;
  return std::any_of(
      std::begin(kNotAboutCalls), std::end(kNotAboutCalls),
      [&](absl::string_view name) { return tree.Find(name) != nullptr; });
}

Policy ReadServiceConfig(const Tree& tree, Problems* problems) {
  Policy policy;
  policy.client.methods = PolicyTable(NoRetries());
  TreeObject file(tree, "", problems);
  MethodNames names(problems);
  for (const auto& [method, place] : file.List("methodConfig")) {
    ReadMethod(*method, place, names, policy.client.methods, problems);
  }
  if (const Tree* const throttling = file.Find("retryThrottling")) {
    ReadThrottling(*throttling, file.Place("retryThrottling"),
                   policy.client.target_budget, problems);
  }
  for (absl::string_view name : kNotAboutCalls) {
    LeftToGrpc(file, name, problems);
  }
  file.RefuseRest();
  return policy;
}

}  // namespace forbear
