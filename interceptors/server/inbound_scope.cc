#include "interceptors/server/inbound_scope.h"

#include <utility>

#include "absl/strings/string_view.h"
#include "interceptors/server/grpc_inside.h"

namespace forbear {

InboundKey KeyIn(const grpc::ServerContextBase& context) {
  InboundKey key;
  inside::ForEachReceived(
      context, [&key](absl::string_view name, absl::string_view value) {
        key.See(name, value);
      });
  return key;
}

std::shared_ptr<CallScope> InboundScope(grpc::ServerContextBase* context,
                                        absl::Time deadline,
                                        std::function<bool()> is_cancelled) {
  CallScope::Inbound inbound;
  inbound.deadline = deadline;
  inbound.call = context->c_call();
  inbound.is_cancelled = std::move(is_cancelled);
  inbound.idempotency_key = KeyIn(*context).Copy();
  return std::make_shared<CallScope>(std::move(inbound));
}

}  // namespace forbear
