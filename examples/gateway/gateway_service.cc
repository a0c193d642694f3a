#include "examples/gateway/gateway_service.h"

namespace shop {

GatewayService::GatewayService(
    const std::shared_ptr<grpc::ChannelInterface>& dispatch, Tally* tally)
    : dispatch_(Dispatch::NewStub(dispatch)), tally_(tally) {}

grpc::Status GatewayService::PlaceOrder(grpc::ServerContext*,
                                        const PlaceOrderRequest* request,
                                        PlaceOrderReply* reply) {
  tally_->Entered(request->order());
  AssignRequest ask;
  *ask.mutable_order() = request->order();
  ask.set_accept_cached(request->accept_cached());
  AssignReply assigned;
  const grpc::Status status = Assign(ask, &assigned);
  *reply->mutable_estimate() = assigned.estimate();
  return status;
}

grpc::Status GatewayService::Assign(const AssignRequest& request,
                                    AssignReply* reply) {
  grpc::ClientContext context;  // The order's deadline comes by itself.
  return dispatch_->Assign(&context, request, reply);
}

}  // namespace shop
