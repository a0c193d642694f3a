// The orders that were taken, and what became of each.
//
//   PlacedOrder placed = book.Take(order);   // New, or here before.
//   book.Set(order.id(), PENDING);
//   ListOrdersReply unassigned = book.List({UNASSIGNED}, absl::Minutes(10));
//
// Thread-safety: safe for concurrent use.
// Units:         instants of forbear::SteadyNow().
// Errors:        none; of an order that was never taken there is nothing.
#ifndef FORBEAR_EXAMPLES_GATEWAY_ORDER_BOOK_H_
#define FORBEAR_EXAMPLES_GATEWAY_ORDER_BOOK_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "proto/shop.pb.h"

namespace shop {

class OrderBook {
 public:
  // The order that comes, as it is known: PLACED, if it is new.
  PlacedOrder Take(const Order& order);

  // An order that is assigned stays so: of two who handle it at once, one may
  // be late.
  void Set(int64_t order_id, OrderState state);
  // Its card was not charged, and will not be under the key it had.
  void CloseKey(int64_t order_id);
  void SetEstimate(int64_t order_id, const DeliveryEstimate& estimate);

  absl::optional<PlacedOrder> Find(int64_t order_id) const;

  // In the order of their ids. No states: all of them.
  ListOrdersReply List(const std::vector<OrderState>& states,
                       absl::Duration placed_within) const;

 private:
  mutable std::mutex mutex_;  // Guards all below.
  std::map<int64_t, PlacedOrder> orders_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_GATEWAY_ORDER_BOOK_H_
