// Charges cards: once for each idempotency key, where there is a ledger of keys
// and its clients send them.
//
//   PaymentsService service(ledger, absl::Milliseconds(60), &tally);
//   server.Register<shop::Payments>(service);
//
// A charge takes time on its way to the card's bank and back. Whoever ends this
// process in between leaves a charge that nobody was told of.
//
// Thread-safety: safe for concurrent use.
// Units:         absl::Duration.
// Errors:        those of the ledger; INVALID_ARGUMENT for an amount below 0.
#ifndef FORBEAR_EXAMPLES_PAYMENTS_PAYMENTS_SERVICE_H_
#define FORBEAR_EXAMPLES_PAYMENTS_PAYMENTS_SERVICE_H_

#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "examples/payments/ledger.h"
#include "examples/shop/tally.h"
#include "proto/shop.grpc.pb.h"

namespace shop {

class PaymentsService final : public Payments::Service {
 public:
  PaymentsService(std::unique_ptr<Ledger> ledger, absl::Duration charge_time,
                  Tally* tally)
      : ledger_(std::move(ledger)), charge_time_(charge_time), tally_(tally) {}

  grpc::Status Charge(grpc::ServerContext* context,
                      const ChargeRequest* request,
                      ChargeReply* reply) override;
  grpc::Status SettleCharge(grpc::ServerContext* context,
                            const SettleChargeRequest* request,
                            SettleChargeReply* reply) override;
  grpc::Status ListCharges(grpc::ServerContext* context,
                           const google::protobuf::Empty* request,
                           ListChargesReply* reply) override;

 private:
  const std::unique_ptr<Ledger> ledger_;
  const absl::Duration charge_time_;
  Tally* const tally_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_PAYMENTS_PAYMENTS_SERVICE_H_
