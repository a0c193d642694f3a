// What reached a server and what became of it, counted where it happens.
//
// A handler says that it was entered, and for which order; it says how it
// ended. Calls that a guard refused before their handler are heard of from the
// guard.
//
//   Tally::Visit visit(tally, request->order(), "Assign");  // First thing.
//   return visit.Ends(status);                              // Last thing.
//   options.observer = tally->observer();    // Of forbear::ServerOptions.
//   shop::Counts counts = tally->counts();
//
// Thread-safety: safe for concurrent use; a Visit belongs to its handler.
// Units:         calls; instants of forbear::SteadyNow().
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_SHOP_TALLY_H_
#define FORBEAR_EXAMPLES_SHOP_TALLY_H_

#include <memory>
#include <mutex>
#include <set>

#include "absl/time/time.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/telemetry/observer.h"
#include "proto/shop.pb.h"
#include "proto/shop_admin.grpc.pb.h"

namespace shop {

class Tally final : public Counters::Service {
 public:
  class Visit {
   public:
    Visit(Tally* tally, const Order& order, const char* handler);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

    grpc::Status Ends(grpc::Status status);

   private:
    friend class Tally;
    // Adds it to `counts`, if it is sampled. The lock is held.
    void Keep(absl::Time until, Counts* counts) const;

    Tally* const tally_;
    const int64_t order_id_;
    const bool sampled_;
    const char* const handler_;
    const absl::Time from_;
    const absl::Time expires_;
    int code_ = -1;  // It has not ended. The tally's lock guards it.
  };

  // Counts what a guard refused. The tally must outlive it.
  std::shared_ptr<forbear::Observer> observer();

  // Its balance is looked at as calls arrive. Before the server starts.
  void Watch(std::shared_ptr<const forbear::RetryBudget> budget) {
    budget_ = std::move(budget);
  }

  // Handlers that have not ended count with what they have wasted so far.
  Counts counts() const;

  grpc::Status Read(grpc::ServerContext*, const google::protobuf::Empty*,
                    Counts* counts) override;

 private:
  class Refusals;

  // The lock is held.
  void Arrived(absl::Time now);

  mutable std::mutex mutex_;  // Guards all below.
  Counts counts_;
  std::set<const Visit*> open_;
  std::shared_ptr<const forbear::RetryBudget> budget_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SHOP_TALLY_H_
