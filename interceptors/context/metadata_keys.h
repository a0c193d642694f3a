// The metadata keys that forbear writes and reads, in one place for both sides.
//
// Requests carry the number of earlier attempts and the idempotency key;
// answers carry the proof that a call was not applied. gRPC's own keys
// (`grpc-timeout`, `grpc-retry-pushback-ms`) mean what gRPC says they mean.
//
//   context->AddTrailingMetadata(std::string(forbear::kNotAppliedKey),
//                                std::string(forbear::kNotAppliedValue));
//
// Thread-safety: constants.
// Units:         a count is written in decimal digits.
// Errors:        none here. What a peer sends is a claim: whoever reads one of
//                these decides how far to believe it.
#ifndef FORBEAR_INTERCEPTORS_CONTEXT_METADATA_KEYS_H_
#define FORBEAR_INTERCEPTORS_CONTEXT_METADATA_KEYS_H_

#include "absl/strings/string_view.h"

namespace forbear {

// Request: how many attempts of this call came before; absent on the first.
// Ours, because gRPC's retry filter strips `grpc-previous-rpc-attempts`.
inline constexpr absl::string_view kPreviousAttemptsKey =
    "forbear-previous-attempts";

// Request: how urgent the call is, as in HTTP (RFC 9218): "u=0" to "u=7".
inline constexpr absl::string_view kPriorityKey = "priority";

// Request: the same for every attempt of one logical call.
inline constexpr absl::string_view kIdempotencyKey = "idempotency-key";

// Trailer: the guard refused the call before its handler, so nothing was
// applied. The guard removes it from the answer of any handler that ran.
inline constexpr absl::string_view kNotAppliedKey = "forbear-not-applied";
inline constexpr absl::string_view kNotAppliedValue = "1";

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CONTEXT_METADATA_KEYS_H_
