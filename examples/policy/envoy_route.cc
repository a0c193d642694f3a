#include "examples/policy/envoy_route.h"

#include <algorithm>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "examples/policy/answers.h"
#include "interceptors/policy_file/field_list.h"
#include "interceptors/policy_file/json_writer.h"
#include "interceptors/policy_file/tree_values.h"

namespace policy_tool {
namespace {

using forbear::EmptyObject;
using forbear::FlagTree;
using forbear::MethodPolicy;
using forbear::NumberTree;
using forbear::Put;
using forbear::TextTree;
using forbear::Tree;
using forbear::WriteDuration;
using forbear::WriteNumber;

// The gRPC conditions that `retry_on` knows.
absl::string_view ConditionOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kCancelled:
      return "cancelled";
    case absl::StatusCode::kDeadlineExceeded:
      return "deadline-exceeded";
    case absl::StatusCode::kInternal:
      return "internal";
    case absl::StatusCode::kResourceExhausted:
      return "resource-exhausted";
    case absl::StatusCode::kUnavailable:
      return "unavailable";
    default:
      return "";
  }
}

class Route {
 public:
  Route(const std::string& name, const MethodPolicy& policy,
        std::vector<std::string>* lost)
      : whose_(name.empty() ? "everything else" : name),
        name_(name),
        policy_(policy),
        lost_(lost) {}

  Tree Made(const std::string& cluster) const {
    const bool hedged = Hedges();
    SayWhatHasNoField(hedged);
    Tree route = EmptyObject();
    Tree& match = Put(route, "match", EmptyObject());
    const bool one = name_.find('/') != std::string::npos;
    Put(match, one ? "path" : "prefix",
        TextTree(name_.empty() ? "/"
                               : absl::StrCat("/", name_, one ? "" : "/")));
    Put(match, "grpc", EmptyObject());
    Tree& action = Put(route, "route", EmptyObject());
    Put(action, "cluster", TextTree(cluster));
    // 0 is no limit; without it Envoy's is 15 s.
    Tree& timeout = Put(action, "timeout", TextTree("0s"));
    if (policy_.mode != forbear::Mode::kEnforce) return route;
    absl::Duration limit = policy_.max_deadline;
    const std::vector<std::string> conditions = Conditions(hedged);
    if (conditions.empty() && policy_.attempt_timeout < limit) {
      limit = policy_.attempt_timeout;
      Lost(absl::StrCat("attempt_timeout ", WriteDuration(limit),
                        " becomes the timeout: nothing is retried there"));
    }
    if (limit != absl::InfiniteDuration()) {
      timeout = TextTree(WriteDuration(limit));
    }
    PutDefaultDeadline(action);
    if (!conditions.empty()) PutAttempts(action, conditions, hedged);
    return route;
  }

 private:
  void Lost(absl::string_view what) const {
    lost_->push_back(absl::StrCat(whose_, ": ", what));
  }

  // Envoy's limit for a request without `grpc-timeout`; one with it keeps it.
  void PutDefaultDeadline(Tree& action) const {
    if (policy_.default_deadline == absl::InfiniteDuration()) return;
    Tree& limit = Put(action, "max_stream_duration", EmptyObject());
    Put(limit, "max_stream_duration",
        TextTree(WriteDuration(
            std::min(policy_.default_deadline, policy_.max_deadline))));
    Put(limit, "grpc_timeout_header_max", TextTree("0s"));
  }

  void PutAttempts(Tree& action, const std::vector<std::string>& conditions,
                   bool hedged) const {
    Tree& retry = Put(action, "retry_policy", EmptyObject());
    Put(retry, "retry_on", TextTree(absl::StrJoin(conditions, ",")));
    if (hedged) {
      PutHedges(action, retry);
    } else {
      PutRetries(retry);
    }
  }

  // Whether hedging is what the policy does, for every call.
  bool Hedges() const {
    if (policy_.mode != forbear::Mode::kEnforce || policy_.defer ||
        !policy_.hedging.enabled() ||
        policy_.repeatable == forbear::Repeatable::kNo) {
      return false;
    }
    if (policy_.hedging.assume_read) return true;
    Lost("is hedged where the .proto says NO_SIDE_EFFECTS: not hedged there");
    return false;
  }

  // There a hedge is what is sent when an attempt has had its time, and does
  // not end it.
  void PutHedges(Tree& action, Tree& retry) const {
    const forbear::HedgingOptions& hedging = policy_.hedging;
    // 0 is no timeout there, and then nothing is hedged.
    const absl::Duration delay = std::max(hedging.delay, absl::Milliseconds(1));
    Put(retry, "num_retries", NumberTree(hedging.max_attempts - 1));
    Put(retry, "per_try_timeout", TextTree(WriteDuration(delay)));
    Put(Put(action, "hedge_policy", EmptyObject()), "hedge_on_per_try_timeout",
        FlagTree(true));
    if (delay != hedging.delay) {
      Lost(absl::StrCat("hedging.delay ", WriteDuration(hedging.delay),
                        " becomes ", WriteDuration(delay)));
    }
    if (hedging.percentile > 0) {
      Lost(
          absl::StrCat("hedging.percentile ", WriteNumber(hedging.percentile),
                       ", once ", hedging.least_measured,
                       " calls are measured, has no field there: hedged after ",
                       WriteDuration(delay)));
    }
    if (hedging.cap < 1) {
      Lost(absl::StrCat("hedging.cap ", WriteNumber(hedging.cap),
                        " has no field there: the retry budget holds alone"));
    }
    if (policy_.attempt_timeout != absl::InfiniteDuration()) {
      Lost(absl::StrCat("attempt_timeout ",
                        WriteDuration(policy_.attempt_timeout),
                        " gives way to the delay of hedges"));
    }
  }

  void PutRetries(Tree& retry) const {
    Put(retry, "num_retries", NumberTree(Retries()));
    if (policy_.attempt_timeout != absl::InfiniteDuration()) {
      Put(retry, "per_try_timeout",
          TextTree(WriteDuration(policy_.attempt_timeout)));
    }
    Tree& backoff = Put(retry, "retry_back_off", EmptyObject());
    Put(backoff, "base_interval",
        TextTree(WriteDuration(policy_.backoff.initial)));
    Put(backoff, "max_interval", TextTree(WriteDuration(policy_.backoff.max)));
    SayBackoff();
  }

  // Of another attempt; empty: there is none.
  std::vector<std::string> Conditions(bool hedged) const {
    std::vector<std::string> conditions;
    if (policy_.defer || (!hedged && policy_.max_attempts == 1)) {
      return conditions;
    }
    for (int i = 1; i <= 16; ++i) {
      const auto code = static_cast<absl::StatusCode>(i);
      const Answer answer = Ask(policy_, {}, code);
      if (!answer.retried) continue;
      const std::string name = forbear::WriteCode(code);
      if (answer.needs_delay || answer.needs_proof) {
        Lost(absl::StrCat(name, " is retried ", answer.Text(),
                          ": not retried there"));
      } else if (ConditionOf(code).empty()) {
        Lost(absl::StrCat(name,
                          " is no condition of retry_on: not retried "
                          "there"));
      } else {
        conditions.emplace_back(ConditionOf(code));
      }
    }
    if (conditions.empty() && hedged) {
      Lost("hedging needs a code that is retried: not hedged there");
    }
    return conditions;
  }

  int Retries() const {
    constexpr int kInsteadOfNoLimit = 4;
    if (policy_.max_attempts != MethodPolicy::kUnlimitedAttempts) {
      return policy_.max_attempts - 1;
    }
    Lost(absl::StrCat("attempts without limit become ", kInsteadOfNoLimit,
                      " retries"));
    return kInsteadOfNoLimit;
  }

  void SayBackoff() const {
    if (policy_.backoff.jitter != forbear::Jitter::kFull) {
      Lost(absl::StrCat("waits with ",
                        forbear::JitterName(policy_.backoff.jitter),
                        " jitter become full jitter"));
    }
    if (policy_.backoff.multiplier != 2) {
      Lost(absl::StrCat("backoff.multiplier ",
                        WriteNumber(policy_.backoff.multiplier), " becomes 2"));
    }
  }

  void SayWhatHasNoField(bool hedged) const {
    if (policy_.mode == forbear::Mode::kOff) return;  // Nothing is in force.
    if (policy_.mode == forbear::Mode::kObserve) {
      return Lost("mode OBSERVE has no field there: nothing is done there");
    }
    static constexpr absl::string_view kThere[] = {
        "max_attempts",     "attempts_until_deadline",
        "default_deadline", "max_deadline",
        "hedging.",         "backoff.jitter",
        "backoff.initial",  "backoff.multiplier",
        "backoff.max",      "attempt_timeout",
        "retryable_codes",  "classes.",
        "repeatable",
    };
    for (const forbear::FieldValue& field :
         Differences(forbear::ListFields(policy_),
                     forbear::ListFields(MethodPolicy{}))) {
      if (hedged && forbear::GivesWayToHedging(field)) {
        Lost(absl::StrCat(forbear::InWords({field}),
                          " gives way to hedging: left out"));
        continue;
      }
      const bool there = std::any_of(
          std::begin(kThere), std::end(kThere), [&](absl::string_view begin) {
            return absl::StartsWith(field.name, begin);
          });
      if (there) continue;
      Lost(absl::StrCat(forbear::InWords({field}),
                        " has no field there: left out"));
    }
  }

  const std::string whose_;
  const std::string name_;
  const MethodPolicy& policy_;
  std::vector<std::string>* const lost_;
};

}  // namespace

Tree WriteEnvoyRoute(const std::string& name, const MethodPolicy& policy,
                     const std::string& cluster,
                     std::vector<std::string>* lost) {
  return Route(name, policy, lost).Made(cluster);
}

}  // namespace policy_tool
