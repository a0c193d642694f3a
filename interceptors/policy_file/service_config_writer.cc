#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy_file/field_list.h"
#include "interceptors/policy_file/json_writer.h"
#include "interceptors/policy_file/policy_writer.h"
#include "interceptors/policy_file/tree_values.h"

namespace forbear {
namespace {

constexpr int kMostAttempts = 5;  // gRFC A6.

// Says what cannot be said of one method, or of a budget.
class Lost {
 public:
  Lost(absl::string_view whose, std::vector<std::string>* lines)
      : whose_(whose), lines_(lines) {}

  void Say(absl::string_view what) const {
    lines_->push_back(absl::StrCat(whose_, ": ", what));
  }

 private:
  const std::string whose_;
  std::vector<std::string>* const lines_;
};

// The codes on which gRPC may be told to retry. gRPC does not ask whether a
// method is repeatable: who lists a code says so.
Tree RetryableCodes(const MethodPolicy& policy, const Lost& lost) {
  Tree codes = EmptyList();
  for (int i = 1; i <= 16; ++i) {
    const auto code = static_cast<absl::StatusCode>(i);
    const std::string name = WriteCode(code);
    switch (policy.classes.Of(code)) {
      case StatusClass::kListed:
        Put(codes, TextTree(name));
        break;
      case StatusClass::kTransient:
      case StatusClass::kUnknownOutcome:
        if (policy.repeatable == Repeatable::kYes) {
          Put(codes, TextTree(name));
        } else if (policy.repeatable == Repeatable::kUnknown) {
          lost.Say(absl::StrCat(name,
                                " is retried where the .proto or an "
                                "idempotency key says that it may be: "
                                "not retried there"));
        }
        break;
      case StatusClass::kThrottled:
        if (policy.repeatable != Repeatable::kNo) {
          lost.Say(absl::StrCat(name,
                                " is retried after the server's delay "
                                "alone: not retried there"));
        }
        break;
      case StatusClass::kPermanent:
      case StatusClass::kConflict:
      case StatusClass::kAmbiguous:
        break;
    }
  }
  return codes;
}

int AttemptsThere(const MethodPolicy& policy, const Lost& lost) {
  if (policy.max_attempts == MethodPolicy::kUnlimitedAttempts) {
    lost.Say("attempts without limit become 5, the most that gRPC makes");
  } else if (policy.max_attempts > kMostAttempts) {
    lost.Say(absl::StrCat(policy.max_attempts,
                          " attempts become 5, the most that gRPC makes"));
  }
  return std::min(policy.max_attempts, kMostAttempts);
}

void PutHedgingPolicy(Tree& entry, const MethodPolicy& policy,
                      const Lost& lost) {
  const HedgingOptions& hedging = policy.hedging;
  if (hedging.percentile > 0) {
    lost.Say(
        absl::StrCat("hedging.percentile ", WriteNumber(hedging.percentile),
                     ", once ", hedging.least_measured,
                     " calls are measured, has no field there: hedged after ",
                     WriteDuration(hedging.delay)));
  }
  if (hedging.cap < 1) {
    lost.Say(absl::StrCat("hedging.cap ", WriteNumber(hedging.cap),
                          " has no field there: every call may be hedged"));
  }
  Tree& there = Put(entry, "hedgingPolicy", EmptyObject());
  Put(there, "maxAttempts", NumberTree(hedging.max_attempts));
  Put(there, "hedgingDelay", TextTree(WriteDuration(hedging.delay)));
  Tree codes = RetryableCodes(policy, lost);
  if (!codes.items.empty()) {
    Put(there, "nonFatalStatusCodes", std::move(codes));
  }
}

// Whether hedging is what the policy does, for every call.
bool Hedges(const MethodPolicy& policy, const Lost& lost) {
  if (policy.defer || policy.repeatable == Repeatable::kNo ||
      !policy.hedging.enabled()) {
    return false;
  }
  if (policy.hedging.assume_read) return true;
  lost.Say("is hedged where the .proto says NO_SIDE_EFFECTS: not hedged there");
  return false;
}

void PutRetryPolicy(Tree& entry, const MethodPolicy& policy, const Lost& lost) {
  Tree codes = RetryableCodes(policy, lost);
  if (codes.items.empty()) return;
  const BackoffOptions& backoff = policy.backoff;
  if (backoff.jitter != Jitter::kProportional) {
    lost.Say(absl::StrCat("waits with ", JitterName(backoff.jitter),
                          " jitter become 0.8 to 1.2 of the backoff"));
  }
  Tree& retry = Put(entry, "retryPolicy", EmptyObject());
  Put(retry, "maxAttempts", NumberTree(AttemptsThere(policy, lost)));
  Put(retry, "initialBackoff", TextTree(WriteDuration(backoff.initial)));
  Put(retry, "maxBackoff", TextTree(WriteDuration(backoff.max)));
  Put(retry, "backoffMultiplier", NumberTree(backoff.multiplier));
  Put(retry, "retryableStatusCodes", std::move(codes));
}

// Fields that no service config has, if they are not as they are by default.
void SayWhatHasNoField(const MethodPolicy& policy, bool hedged,
                       const Lost& lost) {
  static constexpr absl::string_view kThere[] = {
      "max_attempts",   "attempts_until_deadline", "max_deadline",
      "backoff.jitter", "backoff.initial",         "backoff.multiplier",
      "backoff.max",    "retryable_codes",         "classes.",
      "repeatable",     "wait_for_ready",          "hedging.",
  };
  for (const FieldValue& field :
       Differences(ListFields(policy), ListFields(MethodPolicy{}))) {
    if (hedged && GivesWayToHedging(field)) {
      lost.Say(
          absl::StrCat(InWords({field}), " gives way to hedging: left out"));
      continue;
    }
    const bool there = std::any_of(std::begin(kThere), std::end(kThere),
                                   [&](absl::string_view begin) {
                                     return absl::StartsWith(field.name, begin);
                                   });
    if (there) continue;
    lost.Say(absl::StrCat(InWords({field}), " has no field there: left out"));
  }
}

Tree Entry(const MethodPolicy& policy, const Lost& lost) {
  Tree entry = EmptyObject();
  if (policy.mode == Mode::kObserve) {
    lost.Say("mode OBSERVE has no field there: nothing is done there");
  }
  if (policy.mode != Mode::kEnforce) return entry;
  const bool hedged = Hedges(policy, lost);
  SayWhatHasNoField(policy, hedged, lost);
  if (policy.max_deadline != absl::InfiniteDuration()) {
    Put(entry, "timeout", TextTree(WriteDuration(policy.max_deadline)));
  }
  if (policy.wait_for_ready) {
    Put(entry, "waitForReady", FlagTree(*policy.wait_for_ready));
  }
  if (hedged) {
    PutHedgingPolicy(entry, policy, lost);
  } else if (policy.max_attempts > 1 && !policy.defer) {
    PutRetryPolicy(entry, policy, lost);
  }
  return entry;
}

void PutThrottling(Tree& file, const RetryBudgetOptions& budget,
                   const Lost& lost) {
  if (budget.rule != RetryBudgetOptions::Rule::kThrottle) {
    lost.Say(absl::StrCat(InWords(ListFields(budget)),
                          " has no field there (retryThrottling looks at "
                          "outcomes, not at calls): left out"));
    return;
  }
  Tree& throttle = Put(file, "retryThrottling", EmptyObject());
  const double tokens = static_cast<int>(budget.max_tokens);
  if (tokens != budget.max_tokens) {
    lost.Say(absl::StrCat("maxTokens ", WriteNumber(budget.max_tokens),
                          " becomes a whole number"));
  }
  Put(throttle, "maxTokens", NumberTree(std::max(tokens, 1.0)));
  // With its decimals: gRPC C++ reads "1" as 0.001.
  Put(throttle, "tokenRatio",
      NumberTree(absl::StrFormat("%.3f", budget.token_ratio)));
}

}  // namespace

std::string WriteServiceConfig(const ClientPolicy& policy,
                               std::vector<std::string>* lost) {
  Tree file = EmptyObject();
  MethodEntries methods;
  const PolicyTable& table = policy.methods;
  const Tree everywhere = Entry(*table.Find(""), Lost("everything else", lost));
  if (!everywhere.items.empty()) methods.Add("", everywhere);
  for (const std::string& name : table.names()) {
    methods.Add(name, Entry(*table.Find(name), Lost(name, lost)));
  }
  Put(file, "methodConfig", std::move(methods).Result());
  PutThrottling(file, policy.target_budget, Lost("target_budget", lost));
  for (const auto& [target, budget] : policy.targets) {
    lost->push_back(absl::StrCat("targets[", target,
                                 "]: ", InWords(ListFields(budget)),
                                 ": a service config is of one target: left "
                                 "out"));
  }
  lost->push_back(absl::StrCat(
      "process_budget: ", InWords(ListFields(policy.process_budget)),
      " has no field there: left out"));
  return WriteJson(file);
}

}  // namespace forbear
