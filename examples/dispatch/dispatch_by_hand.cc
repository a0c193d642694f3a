#include "examples/dispatch/dispatch_by_hand.h"

#include "examples/shop/by_hand.h"

namespace shop {

grpc::Status DispatchByHand::Estimate(const EstimateRequest& request,
                                      EstimateReply* reply) {
  return TryByHand(policy_.max_attempts, policy_.attempt_timeout,
                   [&](grpc::ClientContext* context, bool) {
                     return routes_->Estimate(context, request, reply);
                   });
}

}  // namespace shop
