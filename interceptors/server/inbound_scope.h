// The scope of a call that has come.
//
//   auto scope = InboundScope(context, deadline,
//                             [context] { return context->IsCancelled(); });
//
// Thread-safety: a function over the call's own context.
// Units:         instants of SteadyNow().
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_SERVER_INBOUND_SCOPE_H_
#define FORBEAR_INTERCEPTORS_SERVER_INBOUND_SCOPE_H_

#include <grpcpp/server_context.h>

#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/server/inbound.h"

namespace forbear {

// What the call brought: its idempotency keys. They live as long as the call.
InboundKey KeyIn(const grpc::ServerContextBase& context);

// `is_cancelled` may be empty.
std::shared_ptr<CallScope> InboundScope(grpc::ServerContextBase* context,
                                        absl::Time deadline,
                                        std::function<bool()> is_cancelled);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_INBOUND_SCOPE_H_
