// Dispatch as people write it without the library.
//
// It tries as often as the policy says, each try with the same timeout.
//
//   DispatchByHand service(grpc::CreateChannel(target, credentials), &tally);
//   service.set_policy(policy);
//   builder.RegisterService(&service);
//
// Thread-safety: safe for concurrent use once the server has started.
// Units:         none.
// Errors:        those of routes, at its last try, for an order that accepts no
//                cached estimate.
#ifndef FORBEAR_EXAMPLES_DISPATCH_DISPATCH_BY_HAND_H_
#define FORBEAR_EXAMPLES_DISPATCH_DISPATCH_BY_HAND_H_

#include "examples/dispatch/dispatch_service.h"
#include "interceptors/policy/method_policy.h"

namespace shop {

class DispatchByHand final : public DispatchService {
 public:
  using DispatchService::DispatchService;

  // Its attempts and their timeout; a loop by hand knows nothing else.
  void set_policy(const forbear::MethodPolicy& policy) { policy_ = policy; }

 private:
  grpc::Status Estimate(const EstimateRequest& request,
                        EstimateReply* reply) override;

  forbear::MethodPolicy policy_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_DISPATCH_DISPATCH_BY_HAND_H_
