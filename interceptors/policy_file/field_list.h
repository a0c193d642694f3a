// The fields of a policy with their values, for those who compare or write.
//
//   for (const FieldValue& field : ListFields(policy)) {
//     // "backoff.initial", "0.1s"
//   }
//
// Thread-safety: pure functions.
// Units:         as a policy file writes them.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_POLICY_FILE_FIELD_LIST_H_
#define FORBEAR_INTERCEPTORS_POLICY_FILE_FIELD_LIST_H_

#include <string>
#include <vector>

#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy_file/tree.h"
#include "interceptors/server/server_options.h"

namespace forbear {

struct FieldValue {
  std::string name;  // As the .proto writes it, "backoff.initial".
  Tree value;
};

// Every field that counts. Of the codes: `retryable_codes`, or where that can't
// say it "classes.ABORTED" and so on.
std::vector<FieldValue> ListFields(MethodPolicy policy);
std::vector<FieldValue> ListFields(RetryBudgetOptions budget);
// But for its methods.
std::vector<FieldValue> ListFields(ServerOptions server);
std::vector<FieldValue> ListFields(ServerMethodOptions method);

// Those of `fields` that are not the same in `others`.
std::vector<FieldValue> Differences(const std::vector<FieldValue>& fields,
                                    const std::vector<FieldValue>& others);

// Whether a method's field has no effect on its calls while they are hedged,
// and is more than the single attempt of those who only hedge.
bool GivesWayToHedging(const FieldValue& field);

// "ratio 0.1, ceiling 10", for those who tell of them in words.
std::string InWords(const std::vector<FieldValue>& fields);

// Whether two policies (budgets, servers) mean the same.
template <typename Options>
bool SameMeaning(const Options& a, const Options& b) {
  return Differences(ListFields(a), ListFields(b)).empty() &&
         Differences(ListFields(b), ListFields(a)).empty();
}

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_POLICY_FILE_FIELD_LIST_H_
