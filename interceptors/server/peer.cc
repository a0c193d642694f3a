#include "interceptors/server/peer.h"

#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace forbear {
namespace {

std::string IdentityOf(grpc_call* call) {
  grpc_auth_context* const context = grpc_call_auth_context(call);
  if (context == nullptr) return "";
  std::string identity;
  if (grpc_auth_context_peer_is_authenticated(context)) {
    grpc_auth_property_iterator it = grpc_auth_context_peer_identity(context);
    if (const grpc_auth_property* property =
            grpc_auth_property_iterator_next(&it)) {
      identity.assign(property->value, property->value_length);
    }
  }
  grpc_auth_context_release(context);
  return identity;
}

}  // namespace

absl::string_view WithoutPort(absl::string_view address) {
  if (!absl::StartsWith(address, "ipv4:") &&
      !absl::StartsWith(address, "ipv6:")) {
    return address;
  }
  return address.substr(0, address.rfind(':'));
}

std::string CallerOf(grpc_call* call,
                     const std::function<std::string(const Peer&)>& caller_of) {
  const std::string identity = IdentityOf(call);
  char* const text = grpc_call_get_peer(call);
  const std::string address(text);
  gpr_free(text);
  if (caller_of != nullptr) return caller_of({identity, address});
  return identity.empty() ? std::string(WithoutPort(address)) : identity;
}

}  // namespace forbear
