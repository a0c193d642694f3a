// How routes is made to fail, from outside.
//
//   FaultSwitch faults(&tally);
//   builder.RegisterService(&faults);
//   if (faults.fault() == FAULT_FAILING) return Unavailable();
//
// Thread-safety: safe for concurrent use.
// Units:         none.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_ROUTES_FAULT_SWITCH_H_
#define FORBEAR_EXAMPLES_ROUTES_FAULT_SWITCH_H_

#include <atomic>

#include "examples/shop/tally.h"
#include "proto/shop_admin.grpc.pb.h"

namespace shop {

class FaultSwitch final : public Faults::Service {
 public:
  explicit FaultSwitch(const Tally* tally) : tally_(tally) {}

  Fault fault() const { return fault_; }

  grpc::Status SetFault(grpc::ServerContext*, const SetFaultRequest* request,
                        SetFaultReply* reply) override {
    fault_ = request->fault();
    *reply->mutable_counts() = tally_->counts();
    return grpc::Status::OK;
  }

 private:
  const Tally* const tally_;
  std::atomic<Fault> fault_{FAULT_NONE};
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_ROUTES_FAULT_SWITCH_H_
