#include "interceptors/server/entry_check.h"

#include "absl/strings/str_cat.h"

namespace forbear {
namespace {

std::string Format(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Microseconds(1)));
}

}  // namespace

std::string RefusalMessage(Observer::RefusalReason reason,
                           absl::Duration time_left, absl::Duration minimum) {
  switch (reason) {
    case Observer::RefusalReason::kExpired:
      return absl::StrCat("the deadline passed ", Format(-time_left),
                          " before the handler was to start; it was not run");
    case Observer::RefusalReason::kDoomed:
      return absl::StrCat("only ", Format(time_left),
                          " left, and this server starts no handler with less ",
                          "than ", Format(minimum), "; it was not run");
  }
  return "the handler was not run";
}

}  // namespace forbear
