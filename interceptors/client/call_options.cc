#include "interceptors/client/call_options.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "interceptors/context/metadata_keys.h"

namespace forbear {

absl::Status CallOptions::Validate() const {
  const auto at = std::find_if_not(
      idempotency_key.begin(), idempotency_key.end(), [](char c) {
        return absl::ascii_isprint(static_cast<unsigned char>(c));
      });
  if (at != idempotency_key.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "CallOptions: idempotency_key: byte ", at - idempotency_key.begin(),
        " is ", static_cast<int>(static_cast<unsigned char>(*at)),
        "; keys are printable ASCII, [32, 126]"));
  }
  return Change(MethodPolicy()).Validate("CallOptions: ");
}

std::unique_ptr<const CallOptions> CallOptions::CopyOf(
    const grpc::ClientContext* context) {
  const CallOptions* const options = Of(context);
  return options == nullptr ? nullptr
                            : std::make_unique<const CallOptions>(*options);
}

MethodPolicy CallOptions::Change(MethodPolicy policy) const {
  int& hedged = policy.hedging.max_attempts;
  if (max_attempts.has_value()) {
    policy.max_attempts = *max_attempts;
    hedged = std::max(1, std::min(hedged, *max_attempts));
  }
  if (attempt_timeout.has_value()) policy.attempt_timeout = *attempt_timeout;
  if (!hedge) hedged = 1;
  return policy;
}

void CallOptions::SetKey(
    std::multimap<std::string, std::string>* metadata) const {
  // gRPC ends the process over a key that cannot be sent.
  if (idempotency_key.empty() || !Validate().ok()) return;
  const std::string name(kIdempotencyKey);
  metadata->erase(name);
  metadata->emplace(name, idempotency_key);
}

}  // namespace forbear
