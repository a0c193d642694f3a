#include "examples/storm/order_record.h"

#include <algorithm>

namespace storm {
namespace {

constexpr absl::Duration kWindow = absl::Seconds(1);
constexpr absl::Duration kStep = absl::Milliseconds(100);
constexpr absl::Duration kStaysSo = absl::Seconds(2);

bool SecondIsGood(const std::vector<OrderRecord>& orders, absl::Time from) {
  int placed = 0;
  int good = 0;
  for (const OrderRecord& order : orders) {
    if (order.placed < from || order.placed >= from + kWindow) continue;
    ++placed;
    if (IsGood(order)) ++good;
  }
  return placed > 0 && good * 100 >= placed * 95;
}

}  // namespace

bool AnsweredInTime(const OrderRecord& order) {
  return order.answered - order.placed <= kPatience;
}

bool IsGood(const OrderRecord& order) {
  return order.live && AnsweredInTime(order);
}

bool FellBack(const OrderRecord& order) {
  return order.cached && AnsweredInTime(order);
}

int PlacedBetween(const std::vector<OrderRecord>& orders, absl::Time from,
                  absl::Time to) {
  return static_cast<int>(std::count_if(
      orders.begin(), orders.end(), [&](const OrderRecord& order) {
        return order.placed >= from && order.placed < to;
      }));
}

absl::optional<absl::Duration> RecoveredAfter(
    const std::vector<OrderRecord>& orders, absl::Time end_of_outage,
    absl::Time now) {
  absl::Time since = end_of_outage;  // Every second from here on is good.
  for (absl::Time from = end_of_outage; from + kWindow <= now; from += kStep) {
    if (!SecondIsGood(orders, from)) since = from + kStep;
    if (from - since >= kStaysSo) return since - end_of_outage;
  }
  return absl::nullopt;
}

}  // namespace storm
