// What reached a server, counted where it happens.
//
// A handler says that it was entered, and for which order. Calls that a guard
// refused before their handler are heard of from the guard.
//
//   tally.Entered(request->order());        // First thing in a handler.
//   options.observer = tally.observer();    // Of forbear::ServerOptions.
//   shop::Counts counts = tally.counts();
//
// Thread-safety: safe for concurrent use.
// Units:         calls; instants of forbear::SteadyNow().
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_SHOP_TALLY_H_
#define FORBEAR_EXAMPLES_SHOP_TALLY_H_

#include <memory>
#include <mutex>

#include "absl/time/time.h"
#include "interceptors/telemetry/observer.h"
#include "proto/shop.pb.h"
#include "proto/shop_admin.grpc.pb.h"

namespace shop {

class Tally final : public Counters::Service {
 public:
  void Entered(const Order& order);

  // Counts what a guard refused. The tally must outlive it.
  std::shared_ptr<forbear::Observer> observer();

  Counts counts() const;

  grpc::Status Read(grpc::ServerContext*, const google::protobuf::Empty*,
                    Counts* counts) override;

 private:
  class Refusals;

  // The lock is held.
  void Arrived(absl::Time now);

  mutable std::mutex mutex_;  // Guards all below.
  Counts counts_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SHOP_TALLY_H_
