// Retries as people write them by hand; what the library is measured against.
//
// Four tries; a wait of 10 ms that doubles; each try with the same timeout,
// whatever time its caller has left. A manner after kBare adds its measures.
//
//   shop::ByHand by_hand(manner);
//   return by_hand.Try({absl::Seconds(4), inbound},
//                      [&](grpc::ClientContext* context, bool last) {
//                        return dispatch->Assign(context, ask, &reply);
//                      });
//
// A try is known to be the last by its number, or when the budget is spent
// before it. When the time ends first, or others spend the budget meanwhile,
// the last try was not known to be one.
//
// Thread-safety: safe for concurrent use; Try() blocks, waits included.
// Units:         absl::Duration.
// Errors:        the status of the last try.
#ifndef FORBEAR_EXAMPLES_SHOP_BY_HAND_H_
#define FORBEAR_EXAMPLES_SHOP_BY_HAND_H_

#include <grpcpp/client_context.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "examples/shop/manner.h"
#include "interceptors/policy/retry_budget.h"

namespace shop {

class ByHand {
 public:
  // `retries`: this layer is one that retries when one layer alone does.
  explicit ByHand(Manner manner, bool retries = false);

  struct Call {
    absl::Duration timeout;                  // Of each try.
    grpc::ServerContext* inbound = nullptr;  // What it is made for.
  };
  grpc::Status Try(
      const Call& how,
      const std::function<grpc::Status(grpc::ClientContext*, bool last)>& call);

  // --- For who cannot block ---

  int tries() const { return tries_; }
  // Whether this try, counted from 1, is the last that there can be.
  bool IsLast(int tried) const;
  // A logical call begins.
  void Begins();
  // The wait before the next try, when so many were made.
  absl::Duration Wait(int tries_made) const;
  // Whether there is budget for another try; takes it.
  bool MayTryAgain();

  // Null in a manner without one.
  const std::shared_ptr<forbear::RetryBudget>& budget() const {
    return budget_;
  }

 private:
  const Manner manner_;
  const int tries_;
  const std::shared_ptr<forbear::RetryBudget> budget_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SHOP_BY_HAND_H_
