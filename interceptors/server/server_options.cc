#include "interceptors/server/server_options.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "interceptors/policy/range_check.h"

namespace forbear {
namespace {

constexpr int kMostCalls = 1000000;

}  // namespace

absl::Status ServerOptions::Validate() const {
  if (mode != Mode::kOff && mode != Mode::kObserve && mode != Mode::kEnforce) {
    return OutOfRange("ServerOptions.", "mode", static_cast<int>(mode),
                      "[0, 2]");
  }
  if (!(minimum_time_left >= absl::ZeroDuration() &&
        minimum_time_left <= absl::Hours(1))) {
    return OutOfRange("ServerOptions.", "minimum_time_left", minimum_time_left,
                      "[0, 1h]");
  }
  if (!(default_deadline >= absl::Milliseconds(1))) {
    return OutOfRange("ServerOptions.", "default_deadline", default_deadline,
                      "[1ms, inf]");
  }
  if (!(max_deadline >= absl::Milliseconds(1))) {
    return OutOfRange("ServerOptions.", "max_deadline", max_deadline,
                      "[1ms, inf]");
  }
  if (max_concurrent_calls < 0 || max_concurrent_calls > kMostCalls) {
    return OutOfRange("ServerOptions.", "max_concurrent_calls",
                      max_concurrent_calls, "[0, 1000000]");
  }
  if (least_concurrent_calls < 0 ||
      least_concurrent_calls > max_concurrent_calls) {
    return OutOfRange("ServerOptions.", "least_concurrent_calls",
                      least_concurrent_calls,
                      absl::StrCat("[0, ", max_concurrent_calls,
                                   "], up to max_concurrent_calls"));
  }
  for (const auto& [name, method] : methods) {
    const std::string where =
        absl::StrCat("ServerOptions.methods[\"", name, "\"]");
    if (name.empty() || name[0] == '/' ||
        std::count(name.begin(), name.end(), '/') != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, ": a name is \"package.Service/Method\""));
    }
    if (method.max_concurrent_calls < 0 ||
        method.max_concurrent_calls > kMostCalls) {
      return OutOfRange(where + ".", "max_concurrent_calls",
                        method.max_concurrent_calls, "[0, 1000000]");
    }
  }
  return queue.Validate("ServerOptions.queue.");
}

}  // namespace forbear
