#include "examples/dispatch/dispatch_service.h"

#include "examples/shop/proto_time.h"

namespace shop {

DispatchService::DispatchService(
    const std::shared_ptr<grpc::ChannelInterface>& routes, Tally* tally)
    : routes_(Routes::NewStub(routes)), tally_(tally) {}

grpc::Status DispatchService::Assign(grpc::ServerContext* context,
                                     const AssignRequest* request,
                                     AssignReply* reply) {
  Tally::Visit visit(tally_, request->order(), "assign");
  const std::string& zone = request->order().zone();
  EstimateRequest ask;
  *ask.mutable_order() = request->order();
  EstimateReply live;
  const grpc::Status status = Estimate(context, ask, &live);
  DeliveryEstimate& estimate = *reply->mutable_estimate();
  if (status.ok()) {
    zones_.Keep(zone, FromProto(live.time()));
    *estimate.mutable_time() = live.time();
    estimate.set_source(DeliveryEstimate::LIVE);
    reply->set_courier(couriers_.Send(request->order().id()));
  } else if (request->accept_cached()) {
    ToProto(zones_.Usual(zone), estimate.mutable_time());
    estimate.set_source(DeliveryEstimate::CACHED);
  } else {
    return visit.Ends(status);
  }
  return visit.Ends(grpc::Status::OK);
}

grpc::Status DispatchService::ListCouriers(grpc::ServerContext*,
                                           const google::protobuf::Empty*,
                                           ListCouriersReply* reply) {
  *reply = couriers_.List();
  return grpc::Status::OK;
}

grpc::Status DispatchService::Estimate(grpc::ServerContext*,
                                       const EstimateRequest& request,
                                       EstimateReply* reply) {
  grpc::ClientContext context;  // The order's deadline comes by itself.
  return routes_->Estimate(&context, request, reply);
}

}  // namespace shop
