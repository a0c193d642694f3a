#include "examples/storm/order_lines.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "examples/shop/proto_time.h"

namespace storm {
namespace {

// What comes so long after an order was placed, such as the sweep, is left out:
// next to it nothing else could be seen.
constexpr absl::Duration kDrawn = absl::Seconds(6);

std::string Milliseconds(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Milliseconds(duration), " ms");
}

std::string Outcome(const OrderRecord& order) {
  if (order.answered == absl::InfiniteFuture()) {
    return absl::StrCat("failed: ", order.failure.empty() ? "no answer in time"
                                                          : order.failure);
  }
  const std::string after =
      absl::StrCat(" after ", Milliseconds(order.answered - order.placed),
                   AnsweredInTime(order) ? "" : ", too late");
  if (order.live) return "live estimate" + after;
  return (order.cached ? "estimate of the cache" : "pending, as it was told") +
         after;
}

Span Customer(const OrderRecord& order, absl::Time start) {
  const bool in_time = AnsweredInTime(order);
  return {"customer", "waits for an answer", in_time ? "OK" : "gave up",
          order.placed - start,
          std::min(order.answered, order.placed + kPatience) - start};
}

std::string CodeName(int code) {
  if (code < 0) return "not ended";
  return absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
}

// What the servers did for it, as it began.
std::vector<Span> Visits(int64_t number, const OrderRecord& order,
                         const ShopCounts& counts, absl::Time start) {
  std::vector<Span> spans;
  for (const ServerCounts& server : counts) {
    for (const shop::Visit& visit : server.counts.visits()) {
      const absl::Time from = shop::FromProto(visit.from());
      if (visit.order_id() != number || from > order.placed + kDrawn) continue;
      spans.push_back({server.name, visit.handler(), CodeName(visit.code()),
                       from - start, shop::FromProto(visit.until()) - start});
    }
  }
  std::stable_sort(
      spans.begin(), spans.end(),
      [](const Span& a, const Span& b) { return a.from < b.from; });
  return spans;
}

}  // namespace

std::vector<OrderLine> OrderLines(const std::vector<int64_t>& sampled,
                                  const std::vector<OrderRecord>& orders,
                                  const ShopCounts& counts, absl::Time start) {
  std::vector<OrderLine> lines;
  for (const int64_t number : sampled) {
    const OrderRecord& order = orders[number];
    OrderLine line;
    line.order = absl::StrCat(number);
    line.outcome = Outcome(order);
    line.spans = Visits(number, order, counts, start);
    line.spans.insert(line.spans.begin(), Customer(order, start));
    lines.push_back(line);
  }
  return lines;
}

}  // namespace storm
