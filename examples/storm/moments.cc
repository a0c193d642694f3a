#include "examples/storm/moments.h"

#include <cstdint>

#include "examples/shop/proto_time.h"

namespace storm {
namespace {

constexpr absl::Duration kMoment = absl::Milliseconds(100);

}  // namespace

std::vector<Moment> MomentsOf(const std::vector<OrderRecord>& orders,
                              const shop::Counts& routes, absl::Time start,
                              absl::Time end) {
  std::vector<Moment> moments;
  for (absl::Duration at; start + at + kMoment <= end; at += kMoment) {
    moments.emplace_back();
    moments.back().at = at;
  }
  const auto moment_of = [&](absl::Time instant) -> Moment* {
    if (instant < start) return nullptr;
    const auto n = static_cast<uint64_t>((instant - start) / kMoment);
    return n < moments.size() ? &moments[n] : nullptr;
  };
  for (const OrderRecord& order : orders) {
    Moment* const moment = moment_of(order.placed);
    if (moment == nullptr) continue;
    ++moment->offered;
    if (IsGood(order)) ++moment->good;
  }
  const absl::Time first = shop::FromProto(routes.first_tenth());
  for (int i = 0; i < routes.arrived_by_tenth_size(); ++i) {
    Moment* const moment = moment_of(first + i * kMoment + kMoment / 2);
    if (moment != nullptr) moment->attempts += routes.arrived_by_tenth(i);
  }
  return moments;
}

}  // namespace storm
