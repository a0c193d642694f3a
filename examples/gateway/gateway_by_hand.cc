#include "examples/gateway/gateway_by_hand.h"

#include "absl/time/time.h"

namespace shop {

GatewayService::Paid GatewayByHand::Charge(grpc::ServerContext* inbound,
                                           const ChargeRequest& request,
                                           const std::string&,
                                           grpc::Status* status) {
  ChargeReply reply;
  *status = paying_.Try({absl::Seconds(1), inbound},
                        [&](grpc::ClientContext* context, bool) {
                          return payments_->Charge(context, request, &reply);
                        });
  return status->ok() ? Paid::kYes : Paid::kNo;
}

grpc::Status GatewayByHand::Assign(grpc::ServerContext* inbound,
                                   const AssignRequest& request,
                                   AssignReply* reply) {
  AssignRequest ask = request;
  return dispatching_.Try(
      {absl::Seconds(4), inbound},
      [&](grpc::ClientContext* context, bool last) {
        ask.set_accept_cached(request.accept_cached() && last);
        return dispatch_->Assign(context, ask, reply);
      });
}

}  // namespace shop
