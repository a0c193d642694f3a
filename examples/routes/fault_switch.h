// How routes is made to fail, from outside.
//
//   FaultSwitch faults(&tally);
//   builder.RegisterService(&faults);
//   if (faults.fault() == FAULT_FAILING) return Unavailable();
//   const absl::Duration wait = faults.Admit(now);    // 0: let in.
//
// Thread-safety: safe for concurrent use.
// Units:         instants of forbear::SteadyNow().
// Errors:        a limit below 0 is refused with INVALID_ARGUMENT.
#ifndef FORBEAR_EXAMPLES_ROUTES_FAULT_SWITCH_H_
#define FORBEAR_EXAMPLES_ROUTES_FAULT_SWITCH_H_

#include <atomic>
#include <mutex>

#include "absl/time/time.h"
#include "examples/shop/tally.h"
#include "proto/shop_admin.grpc.pb.h"

namespace shop {

class FaultSwitch final : public Faults::Service {
 public:
  explicit FaultSwitch(const Tally* tally) : tally_(tally) {}

  Fault fault() const { return fault_; }

  // How long a call has to stay away; 0 lets it in. So many are let in within a
  // second, a tenth of them at once; whoever is turned away is given the next
  // place that nobody was promised.
  absl::Duration Admit(absl::Time now);

  grpc::Status SetFault(grpc::ServerContext* context,
                        const SetFaultRequest* request,
                        SetFaultReply* reply) override;

 private:
  const Tally* const tally_;
  std::atomic<Fault> fault_{FAULT_NONE};
  std::mutex mutex_;  // Guards all below.
  int admitted_per_second_ = 0;
  double free_places_ = 0;
  absl::Time counted_at_;
  absl::Time promised_until_ = absl::InfinitePast();
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_ROUTES_FAULT_SWITCH_H_
