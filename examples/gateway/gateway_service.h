// Takes orders, and answers with a time of delivery.
//
// It calls dispatch, and leaves retries and deadlines to the channel.
//
//   auto channel = forbear::CreateChannel("dns:///dispatch:50051",
//   credentials); GatewayService service(channel, &tally);
//   guard.RegisterService<shop::Gateway>(builder, service);
//
// Thread-safety: safe for concurrent use.
// Units:         none.
// Errors:        those of dispatch.
#ifndef FORBEAR_EXAMPLES_GATEWAY_GATEWAY_SERVICE_H_
#define FORBEAR_EXAMPLES_GATEWAY_GATEWAY_SERVICE_H_

#include <memory>

#include "examples/shop/tally.h"
#include "proto/shop.grpc.pb.h"

namespace shop {

class GatewayService : public Gateway::Service {
 public:
  GatewayService(const std::shared_ptr<grpc::ChannelInterface>& dispatch,
                 Tally* tally);

  grpc::Status PlaceOrder(grpc::ServerContext*,
                          const PlaceOrderRequest* request,
                          PlaceOrderReply* reply) override;

 protected:
  virtual grpc::Status Assign(const AssignRequest& request, AssignReply* reply);

  const std::unique_ptr<Dispatch::Stub> dispatch_;

 private:
  Tally* const tally_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_GATEWAY_GATEWAY_SERVICE_H_
