// Gateway as people write it without the library's channels.
//
// A charge that failed counts as not made, whatever became of it.
//
//   GatewayByHand service(dispatch, payments, &tally, manner);
//   server.Register<shop::Gateway>(service);
//
// Thread-safety: safe for concurrent use.
// Units:         none.
// Errors:        those of payments and of dispatch, at the last try.
#ifndef FORBEAR_EXAMPLES_GATEWAY_GATEWAY_BY_HAND_H_
#define FORBEAR_EXAMPLES_GATEWAY_GATEWAY_BY_HAND_H_

#include <string>

#include "examples/gateway/gateway_service.h"
#include "examples/shop/by_hand.h"
#include "examples/shop/manner.h"

namespace shop {

class GatewayByHand final : public GatewayService {
 public:
  GatewayByHand(const std::shared_ptr<grpc::ChannelInterface>& dispatch,
                const std::shared_ptr<grpc::ChannelInterface>& payments,
                Tally* tally, Manner manner)
      : GatewayService(dispatch, payments, tally),
        dispatching_(manner),
        paying_(manner, /*retries=*/true) {}

 private:
  // It sends no key.
  Paid Charge(grpc::ServerContext* inbound, const ChargeRequest& request,
              const std::string& key, grpc::Status* status) override;
  grpc::Status Assign(grpc::ServerContext* inbound,
                      const AssignRequest& request,
                      AssignReply* reply) override;

  ByHand dispatching_;
  ByHand paying_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_GATEWAY_GATEWAY_BY_HAND_H_
