#include "interceptors/policy/pushback.h"

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "proto/rpc_status.pb.h"

namespace forbear {
namespace {

constexpr Pushback kNo = {Pushback::Kind::kRefused, absl::ZeroDuration()};

// Stricter than absl::SimpleAtoi, which takes signs and spaces.
Pushback ReadTrailer(absl::string_view value) {
  if (value.empty()) return kNo;
  int64_t millis = 0;
  for (char c : value) {
    if (c < '0' || c > '9') return kNo;
    millis = millis * 10 + (c - '0');
    if (millis > std::numeric_limits<int32_t>::max()) return kNo;
  }
  return {Pushback::Kind::kWait, absl::Milliseconds(millis)};
}

// The longest wait that any RetryInfo asks for; zero if none does.
absl::Duration ReadRetryInfo(absl::string_view status_details) {
  absl::Duration longest = absl::ZeroDuration();
  wire::Status status;
  if (!status.ParseFromArray(status_details.data(),
                             static_cast<int>(status_details.size()))) {
    return longest;
  }
  for (const wire::Detail& detail : status.details()) {
    wire::RetryInfo info;
    if (!absl::EndsWith(detail.type_url(), "/google.rpc.RetryInfo") ||
        !info.ParseFromString(detail.value())) {
      continue;
    }
    // Absurd values saturate.
    longest =
        std::max(longest, absl::Seconds(info.retry_delay().seconds()) +
                              absl::Nanoseconds(info.retry_delay().nanos()));
  }
  return longest;
}

}  // namespace

Pushback ReadPushback(absl::Span<const absl::string_view> trailer_values,
                      absl::string_view status_details) {
  if (trailer_values.size() > 1) return kNo;
  if (trailer_values.size() == 1) return ReadTrailer(trailer_values[0]);
  const absl::Duration at_least = ReadRetryInfo(status_details);
  if (at_least > absl::ZeroDuration()) {
    return {Pushback::Kind::kAtLeast, at_least};
  }
  return {};
}

}  // namespace forbear
