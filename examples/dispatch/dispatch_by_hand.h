// Dispatch as people write it without the library's channels.
//
//   DispatchByHand service(grpc::CreateChannel(target, credentials), &tally,
//                          &by_hand, absl::Milliseconds(800));
//   server.Register<shop::Dispatch>(service);
//
// Thread-safety: safe for concurrent use.
// Units:         absl::Duration: of each try.
// Errors:        those of routes, at its last try, for an order that accepts no
//                cached estimate.
#ifndef FORBEAR_EXAMPLES_DISPATCH_DISPATCH_BY_HAND_H_
#define FORBEAR_EXAMPLES_DISPATCH_DISPATCH_BY_HAND_H_

#include "absl/time/time.h"
#include "examples/dispatch/dispatch_service.h"
#include "examples/shop/by_hand.h"

namespace shop {

class DispatchByHand final : public DispatchService {
 public:
  DispatchByHand(const std::shared_ptr<grpc::ChannelInterface>& routes,
                 Tally* tally, ByHand* by_hand, absl::Duration timeout)
      : DispatchService(routes, tally), by_hand_(by_hand), timeout_(timeout) {}

 private:
  grpc::Status Estimate(grpc::ServerContext* inbound,
                        const EstimateRequest& request,
                        EstimateReply* reply) override {
    return by_hand_->Try({timeout_, inbound},
                         [&](grpc::ClientContext* context, bool) {
                           return routes_->Estimate(context, request, reply);
                         });
  }

  ByHand* const by_hand_;
  const absl::Duration timeout_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_DISPATCH_DISPATCH_BY_HAND_H_
