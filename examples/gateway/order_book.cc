#include "examples/gateway/order_book.h"

#include <algorithm>

#include "examples/shop/proto_time.h"
#include "interceptors/context/clock.h"

namespace shop {

PlacedOrder OrderBook::Take(const Order& order) {
  const absl::Time now = forbear::SteadyNow();
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [taken, is_new] = orders_.try_emplace(order.id());
  if (is_new) {
    *taken->second.mutable_order() = order;
    taken->second.set_state(PLACED);
    ToProto(now, taken->second.mutable_placed());
  }
  return taken->second;
}

void OrderBook::Set(int64_t order_id, OrderState state) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto taken = orders_.find(order_id);
  if (taken == orders_.end() || taken->second.state() == ASSIGNED) return;
  taken->second.set_state(state);
}

void OrderBook::CloseKey(int64_t order_id) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto taken = orders_.find(order_id);
  if (taken == orders_.end()) return;
  taken->second.set_state(UNPAID);
  taken->second.set_closed_keys(taken->second.closed_keys() + 1);
}

void OrderBook::SetEstimate(int64_t order_id,
                            const DeliveryEstimate& estimate) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto taken = orders_.find(order_id);
  if (taken != orders_.end()) *taken->second.mutable_estimate() = estimate;
}

absl::optional<PlacedOrder> OrderBook::Find(int64_t order_id) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto taken = orders_.find(order_id);
  if (taken == orders_.end()) return absl::nullopt;
  return taken->second;
}

ListOrdersReply OrderBook::List(const std::vector<OrderState>& states,
                                absl::Duration placed_within) const {
  const absl::Time since = forbear::SteadyNow() - placed_within;
  ListOrdersReply reply;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [id, placed] : orders_) {
    if (FromProto(placed.placed()) < since) continue;
    const bool asked_for =
        states.empty() ||
        std::count(states.begin(), states.end(), placed.state()) > 0;
    if (asked_for) *reply.add_orders() = placed;
  }
  return reply;
}

}  // namespace shop
