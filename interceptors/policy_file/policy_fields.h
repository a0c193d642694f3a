// The fields of the policy file, each described once.
//
// Who reads a file, writes one, or compares two visits the same list: a field's
// name (as in proto/policy.proto), where it lives, and its range.
//
//   MethodPolicy policy;
//   FieldReader reader(tree, "methods[2]", &problems);
//   VisitFields(policy, reader);
//
// Thread-safety: thread-compatible.
// Units:         absl::Duration.
// Errors:        none here; visitors have theirs.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_FIELDS_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_FIELDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/status_class.h"
#include "interceptors/policy_file/tree_values.h"
#include "interceptors/server/server_options.h"

namespace forbear {

class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;

  virtual void Duration(absl::string_view name, absl::Duration& value,
                        DurationRange range) = 0;
  virtual void Number(absl::string_view name, double& value,
                      NumberRange range) = 0;
  virtual void Whole(absl::string_view name, int64_t& value,
                     NumberRange range) = 0;
  virtual void Flag(absl::string_view name, bool& value) = 0;
  // A flag that may be left open.
  virtual void MaybeFlag(absl::string_view name,
                         std::optional<bool>& value) = 0;
  // One of `names`, of which `value` is the index.
  virtual void Choice(absl::string_view name, int& value,
                      absl::Span<const absl::string_view> names) = 0;
  virtual void Texts(absl::string_view name,
                     std::vector<std::string>& value) = 0;
  // `retryable_codes` and `classes`.
  virtual void Classes(StatusClasses& value) = 0;
  // A field that has no meaning beside one that was given.
  virtual void Refuse(absl::string_view name, absl::string_view why) = 0;

  // Goes into the object called `name`, if it is there, until Leave().
  // `present`: whether the value has one.
  virtual bool Enter(absl::string_view name, bool present) = 0;
  virtual void Leave() = 0;
};

// As the .proto writes them, in the order of their C++ values.
inline constexpr absl::string_view kModeNames[] = {"OFF", "OBSERVE", "ENFORCE"};
inline constexpr absl::string_view kJitterNames[] = {
    "NONE", "FULL", "EQUAL", "DECORRELATED", "PROPORTIONAL"};
inline constexpr absl::string_view kClassNames[] = {
    "PERMANENT", "TRANSIENT", "THROTTLED", "UNKNOWN_OUTCOME",
    "CONFLICT",  "AMBIGUOUS", "LISTED"};

// All but `name`, and of a server all but `methods`.
void VisitFields(MethodPolicy& policy, FieldVisitor& visitor);
void VisitFields(RetryBudgetOptions& budget, FieldVisitor& visitor);
void VisitFields(ServerOptions& server, FieldVisitor& visitor);
void VisitFields(ServerMethodOptions& method, FieldVisitor& visitor);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_POLICY_FIELDS_H_
