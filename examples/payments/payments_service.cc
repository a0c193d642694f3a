#include "examples/payments/payments_service.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/shop/pause.h"
#include "interceptors/context/chance.h"
#include "interceptors/context/metadata_keys.h"

namespace shop {
namespace {

std::string KeyOf(const grpc::ServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto key = metadata.find(grpc::string_ref(
      forbear::kIdempotencyKey.data(), forbear::kIdempotencyKey.size()));
  return key == metadata.end()
             ? ""
             : std::string(key->second.data(), key->second.size());
}

grpc::Status ToGrpc(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message()));
}

}  // namespace

grpc::Status PaymentsService::Charge(grpc::ServerContext* context,
                                     const ChargeRequest* request,
                                     ChargeReply* reply) {
  const Order& order = request->order();
  if (order.cents() < 0) {
    return grpc::Status(
        grpc::StatusCode::INVALID_ARGUMENT,
        absl::StrCat("ChargeRequest.order.cents ", order.cents(),
                     ": it takes an amount from 0 up"));
  }
  Tally::Visit visit(tally_, order, "charge");
  shop::Charge charge;
  charge.set_id(forbear::RandomKey());
  charge.set_key(KeyOf(*context));
  charge.set_order_id(order.id());
  charge.set_cents(order.cents());
  Pause(charge_time_ / 2);
  const absl::StatusOr<shop::Charge> entered = ledger_->Enter(charge);
  if (!entered.ok()) return visit.Ends(ToGrpc(entered.status()));
  Pause(charge_time_ / 2);
  *reply->mutable_charge() = *entered;
  return visit.Ends(grpc::Status::OK);
}

grpc::Status PaymentsService::SettleCharge(grpc::ServerContext*,
                                           const SettleChargeRequest* request,
                                           SettleChargeReply* reply) {
  if (request->key().empty()) {
    return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                        "SettleChargeRequest.key is empty; it is the "
                        "idempotency-key that the charge was sent with");
  }
  const absl::StatusOr<shop::Charge> charge = ledger_->Settle(request->key());
  if (!charge.ok()) return ToGrpc(charge.status());
  if (!charge->id().empty()) *reply->mutable_charge() = *charge;
  return grpc::Status::OK;
}

grpc::Status PaymentsService::ListCharges(grpc::ServerContext*,
                                          const google::protobuf::Empty*,
                                          ListChargesReply* reply) {
  const absl::StatusOr<std::vector<shop::Charge>> charges = ledger_->Charges();
  if (!charges.ok()) return ToGrpc(charges.status());
  reply->mutable_charges()->Assign(charges->begin(), charges->end());
  return grpc::Status::OK;
}

}  // namespace shop
