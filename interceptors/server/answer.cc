#include "interceptors/server/answer.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/policy/pushback.h"

namespace forbear {

absl::StatusCode AnswerCode(int code) {
  return code >= static_cast<int>(absl::StatusCode::kOk) &&
                 code <= static_cast<int>(absl::StatusCode::kUnauthenticated)
             ? static_cast<absl::StatusCode>(code)
             : absl::StatusCode::kUnknown;
}

bool SettleAnswer(const CallScope& scope, absl::StatusCode code, Mode mode,
                  std::multimap<std::string, std::string>* trailers) {
  bool has_pushback = false;
  for (auto it = trailers->begin(); it != trailers->end();) {
    const absl::string_view key = it->first;
    has_pushback |= key == kPushbackKey;
    it = key == kNotAppliedKey ? trailers->erase(it) : std::next(it);
  }
  if (code == absl::StatusCode::kOk || mode != Mode::kEnforce || has_pushback ||
      !scope.GaveUpWith(code)) {
    return false;
  }
  trailers->emplace(kPushbackKey, "-1");
  return true;
}

absl::Duration PastDeadline(absl::Time entered, absl::Time deadline,
                            absl::Time now) {
  return std::max(absl::ZeroDuration(), now - std::max(entered, deadline));
}

}  // namespace forbear
