#include "interceptors/policy/status_class.h"

namespace forbear {
namespace {

constexpr absl::string_view kNames[] = {
    "permanent", "transient", "throttled", "unknown_outcome",
    "conflict",  "ambiguous", "listed",
};

int Index(absl::StatusCode code, int codes) {
  const int index = static_cast<int>(code);
  return index >= 0 && index < codes
             ? index
             : static_cast<int>(absl::StatusCode::kUnknown);
}

}  // namespace

StatusClasses::StatusClasses() {
  classes_.fill(StatusClass::kPermanent);
  Set(absl::StatusCode::kUnavailable, StatusClass::kTransient);
  Set(absl::StatusCode::kResourceExhausted, StatusClass::kThrottled);
  Set(absl::StatusCode::kDeadlineExceeded, StatusClass::kUnknownOutcome);
  Set(absl::StatusCode::kAborted, StatusClass::kConflict);
  Set(absl::StatusCode::kUnknown, StatusClass::kAmbiguous);
  Set(absl::StatusCode::kInternal, StatusClass::kAmbiguous);
}

StatusClass StatusClasses::Of(absl::StatusCode code) const {
  return classes_[Index(code, kCodes)];
}

void StatusClasses::Set(absl::StatusCode code, StatusClass value) {
  if (code == absl::StatusCode::kOk) return;
  classes_[Index(code, kCodes)] = value;
}

void StatusClasses::List(absl::Span<const absl::StatusCode> codes) {
  classes_.fill(StatusClass::kPermanent);
  for (absl::StatusCode code : codes) Set(code, StatusClass::kListed);
}

absl::string_view StatusClassName(StatusClass value) {
  return kNames[static_cast<int>(value)];
}

}  // namespace forbear
