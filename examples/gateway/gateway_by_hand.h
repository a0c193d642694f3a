// The gateway as people write it without the library.
//
// It tries four times, each time with its own 4 s, and takes a cached estimate
// only from its last try.
//
//   GatewayByHand service(grpc::CreateChannel(target, credentials), &tally);
//   builder.RegisterService(&service);
//
// Thread-safety: safe for concurrent use.
// Units:         none.
// Errors:        those of dispatch, at its last try.
#ifndef FORBEAR_EXAMPLES_GATEWAY_GATEWAY_BY_HAND_H_
#define FORBEAR_EXAMPLES_GATEWAY_GATEWAY_BY_HAND_H_

#include "examples/gateway/gateway_service.h"

namespace shop {

class GatewayByHand final : public GatewayService {
 public:
  using GatewayService::GatewayService;

 private:
  grpc::Status Assign(const AssignRequest& request,
                      AssignReply* reply) override;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_GATEWAY_GATEWAY_BY_HAND_H_
