#include "interceptors/client/never_sent.h"

#include "absl/strings/match.h"

namespace forbear {
namespace {

// What stands for an attempt for which no connection could be had.
constexpr absl::string_view kNoConnection[] = {
    "UNKNOWN:failed to connect to all addresses; last error: ",
    "UNKNOWN:connections to all backends failing; last error: ",
    "UNKNOWN:DNS resolution failed for ",
};

}  // namespace

bool NeverSent(absl::StatusCode code, absl::string_view debug_string) {
  if (code != absl::StatusCode::kUnavailable) return false;
  for (const absl::string_view text : kNoConnection) {
    if (absl::StartsWith(debug_string, text)) return true;
  }
  return false;
}

}  // namespace forbear
