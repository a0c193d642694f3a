#include "examples/gateway/gateway_service.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/shop/proto_time.h"
#include "interceptors/client/call_options.h"
#include "interceptors/client/outcome.h"

namespace shop {
namespace {

std::string KeyOf(const PlacedOrder& placed) {
  const std::string key = absl::StrCat("order-", placed.order().id());
  return placed.closed_keys() == 0
             ? key
             : absl::StrCat(key, "-again-", placed.closed_keys());
}

}  // namespace

GatewayService::GatewayService(
    const std::shared_ptr<grpc::ChannelInterface>& dispatch,
    const std::shared_ptr<grpc::ChannelInterface>& payments, Tally* tally)
    : dispatch_(Dispatch::NewStub(dispatch)),
      payments_(Payments::NewStub(payments)),
      tally_(tally),
      settler_(payments, &book_) {}

grpc::Status GatewayService::PlaceOrder(grpc::ServerContext* context,
                                        const PlaceOrderRequest* request,
                                        PlaceOrderReply* reply) {
  Tally::Visit visit(tally_, request->order(), "place order");
  return visit.Ends(Place(context, *request, reply));
}

grpc::Status GatewayService::Place(grpc::ServerContext* context,
                                   const PlaceOrderRequest& request,
                                   PlaceOrderReply* reply) {
  const Order& order = request.order();
  if (order.cents() < 0) {
    return grpc::Status(
        grpc::StatusCode::INVALID_ARGUMENT,
        absl::StrCat("PlaceOrderRequest.order.cents ", order.cents(),
                     ": it takes an amount from 0 up"));
  }
  const PlacedOrder known = book_.Take(order);
  OrderState state = known.state();
  if (state == PLACED || state == UNPAID) {
    grpc::Status status;
    state = Pay(context, known, &status);
    if (state == UNPAID) return status;
  }
  reply->set_state(state);
  if (state == PENDING) return grpc::Status::OK;
  if (state == ASSIGNED) {
    *reply->mutable_estimate() = known.estimate();
    return grpc::Status::OK;
  }
  AssignRequest ask;
  *ask.mutable_order() = order;
  ask.set_accept_cached(request.accept_cached());
  AssignReply assigned;
  const grpc::Status status = Send(context, ask, &assigned);
  *reply->mutable_estimate() = assigned.estimate();
  if (!assigned.courier().empty()) reply->set_state(ASSIGNED);
  return status;
}

OrderState GatewayService::Pay(grpc::ServerContext* context,
                               const PlacedOrder& placed,
                               grpc::Status* status) {
  const std::string key = KeyOf(placed);
  ChargeRequest charge;
  *charge.mutable_order() = placed.order();
  const Paid paid = Charge(context, charge, key, status);
  const OrderState state = paid == Paid::kYes  ? UNASSIGNED
                           : paid == Paid::kNo ? UNPAID
                                               : PENDING;
  book_.Set(placed.order().id(), state);
  if (state == PENDING) settler_.Add(placed.order().id(), key);
  return state;
}

grpc::Status GatewayService::Send(grpc::ServerContext* context,
                                  const AssignRequest& request,
                                  AssignReply* reply) {
  const grpc::Status status = Assign(context, request, reply);
  if (!status.ok()) return status;
  const int64_t id = request.order().id();
  book_.SetEstimate(id, reply->estimate());
  if (!reply->courier().empty()) book_.Set(id, ASSIGNED);
  return status;
}

grpc::Status GatewayService::ListOrders(grpc::ServerContext*,
                                        const ListOrdersRequest* request,
                                        ListOrdersReply* reply) {
  std::vector<OrderState> states;
  for (const int state : request->states()) {
    states.push_back(static_cast<OrderState>(state));
  }
  *reply = book_.List(states, request->has_placed_within()
                                  ? FromProto(request->placed_within())
                                  : absl::InfiniteDuration());
  return grpc::Status::OK;
}

grpc::Status GatewayService::Reenqueue(grpc::ServerContext* context,
                                       const ReenqueueRequest* request,
                                       ReenqueueReply* reply) {
  const absl::optional<PlacedOrder> placed = book_.Find(request->order_id());
  if (!placed.has_value()) {
    return grpc::Status(
        grpc::StatusCode::NOT_FOUND,
        absl::StrCat("ReenqueueRequest.order_id ", request->order_id(),
                     ": no such order; ListOrders tells which there are"));
  }
  reply->set_state(placed->state());
  if (placed->state() != UNASSIGNED) return grpc::Status::OK;
  AssignRequest ask;
  *ask.mutable_order() = placed->order();
  ask.mutable_order()->clear_expires();  // Its customer waits no longer.
  AssignReply assigned;
  Tally::Visit visit(tally_, ask.order(), "re-enqueue");
  const grpc::Status status = Send(context, ask, &assigned);
  if (status.ok()) reply->set_state(ASSIGNED);
  return visit.Ends(status);
}

GatewayService::Paid GatewayService::Charge(grpc::ServerContext*,
                                            const ChargeRequest& request,
                                            const std::string& key,
                                            grpc::Status* status) {
  forbear::CallOptions options;
  options.idempotency_key = key;
  grpc::ClientContext context;  // The order's deadline comes by itself.
  forbear::CallOptions::For with(&context, options);
  ChargeReply reply;
  *status = payments_->Charge(&context, request, &reply);
  if (status->ok()) return Paid::kYes;
  return forbear::OutcomeOf(context) == forbear::Outcome::kNotApplied
             ? Paid::kNo
             : Paid::kUnknown;
}

grpc::Status GatewayService::Assign(grpc::ServerContext*,
                                    const AssignRequest& request,
                                    AssignReply* reply) {
  forbear::CallOptions options;
  options.tag = "courier";  // Its key is derived from that of the inbound call.
  grpc::ClientContext context;
  forbear::CallOptions::For with(&context, options);
  return dispatch_->Assign(&context, request, reply);
}

}  // namespace shop
