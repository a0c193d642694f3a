// Takes orders: has each paid, hands it to dispatch, and answers with a time of
// delivery.
//
// An order has an idempotency key, made from its id, and is charged under it
// whoever asks again. When nobody can say whether a card was charged, the order
// is pending, not failed: payments is asked until it can. If it was not, the
// key is closed; whoever places the order again pays under the next one.
//
//   GatewayService service(dispatch, payments, &tally);  // forbear's channels.
//   guard.RegisterService<shop::Gateway>(builder, service);
//
// Thread-safety: safe for concurrent use.
// Units:         none.
// Errors:        those of payments, where the card was certainly not charged;
//                those of dispatch. INVALID_ARGUMENT for a price below 0,
//                NOT_FOUND for an order that was never placed.
#ifndef FORBEAR_EXAMPLES_GATEWAY_GATEWAY_SERVICE_H_
#define FORBEAR_EXAMPLES_GATEWAY_GATEWAY_SERVICE_H_

#include <memory>
#include <string>

#include "examples/gateway/order_book.h"
#include "examples/gateway/settler.h"
#include "examples/shop/tally.h"
#include "proto/shop.grpc.pb.h"

namespace shop {

class GatewayService : public Gateway::Service {
 public:
  GatewayService(const std::shared_ptr<grpc::ChannelInterface>& dispatch,
                 const std::shared_ptr<grpc::ChannelInterface>& payments,
                 Tally* tally);

  grpc::Status PlaceOrder(grpc::ServerContext* context,
                          const PlaceOrderRequest* request,
                          PlaceOrderReply* reply) override;
  grpc::Status ListOrders(grpc::ServerContext* context,
                          const ListOrdersRequest* request,
                          ListOrdersReply* reply) override;
  grpc::Status Reenqueue(grpc::ServerContext* context,
                         const ReenqueueRequest* request,
                         ReenqueueReply* reply) override;

 protected:
  enum class Paid { kYes, kNo, kUnknown };

  // Sets `status` if it was not paid.
  virtual Paid Charge(grpc::ServerContext* inbound,
                      const ChargeRequest& request, const std::string& key,
                      grpc::Status* status);
  virtual grpc::Status Assign(grpc::ServerContext* inbound,
                              const AssignRequest& request, AssignReply* reply);

  const std::unique_ptr<Dispatch::Stub> dispatch_;
  const std::unique_ptr<Payments::Stub> payments_;

 private:
  grpc::Status Place(grpc::ServerContext* context,
                     const PlaceOrderRequest& request, PlaceOrderReply* reply);
  // The state of the order after its charge; `status` as above.
  OrderState Pay(grpc::ServerContext* context, const PlacedOrder& placed,
                 grpc::Status* status);
  // Of an order that is paid for.
  grpc::Status Send(grpc::ServerContext* context, const AssignRequest& request,
                    AssignReply* reply);

  Tally* const tally_;
  OrderBook book_;
  Settler settler_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_GATEWAY_GATEWAY_SERVICE_H_
