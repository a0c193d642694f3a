#include "examples/gateway/gateway_by_hand.h"

#include "absl/time/time.h"
#include "examples/shop/by_hand.h"

namespace shop {

grpc::Status GatewayByHand::Assign(const AssignRequest& request,
                                   AssignReply* reply) {
  AssignRequest ask = request;
  return TryByHand(kTriesByHand, absl::Seconds(4),
                   [&](grpc::ClientContext* context, bool last) {
                     ask.set_accept_cached(request.accept_cached() && last);
                     return dispatch_->Assign(context, ask, reply);
                   });
}

}  // namespace shop
