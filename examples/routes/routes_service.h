// Knows how long the way to a customer takes, unless told to fail.
//
// A callback service: a call that hangs costs no thread.
//
//   RoutesService service(&faults, &tally);
//   guard.RegisterService<shop::Routes>(builder, service);
//
// Thread-safety: safe for concurrent use.
// Units:         none.
// Errors:        UNAVAILABLE, or none at all, as the switch says;
//                RESOURCE_EXHAUSTED and when to come back, past its limit.
#ifndef FORBEAR_EXAMPLES_ROUTES_ROUTES_SERVICE_H_
#define FORBEAR_EXAMPLES_ROUTES_ROUTES_SERVICE_H_

#include <atomic>

#include "examples/routes/fault_switch.h"
#include "examples/shop/tally.h"
#include "proto/shop.grpc.pb.h"

namespace shop {

class RoutesService final : public Routes::CallbackService {
 public:
  RoutesService(FaultSwitch* faults, Tally* tally)
      : faults_(faults), tally_(tally) {}

  grpc::ServerUnaryReactor* Estimate(grpc::CallbackServerContext* context,
                                     const EstimateRequest* request,
                                     EstimateReply* reply) override;

 private:
  FaultSwitch* const faults_;
  Tally* const tally_;
  std::atomic<int> slowed_{0};
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_ROUTES_ROUTES_SERVICE_H_
