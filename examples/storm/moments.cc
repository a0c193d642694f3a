#include "examples/storm/moments.h"

#include <cstdint>
#include <functional>

#include "examples/shop/proto_time.h"

namespace storm {
namespace {

constexpr absl::Duration kMoment = absl::Milliseconds(100);

class Moments {
 public:
  Moments(absl::Time start, absl::Time end) : start_(start) {
    for (absl::Duration at; start + at + kMoment <= end; at += kMoment) {
      all_.emplace_back();
      all_.back().at = at;
    }
  }

  // That in which `instant` lies, or null.
  Moment* Of(absl::Time instant) {
    if (instant < start_) return nullptr;
    const auto n = static_cast<uint64_t>((instant - start_) / kMoment);
    return n < all_.size() ? &all_[n] : nullptr;
  }

  void ForTenths(const shop::Counts& counts,
                 const std::function<void(const shop::Tenth&, Moment*)>& add) {
    const absl::Time first = shop::FromProto(counts.first_tenth());
    for (int i = 0; i < counts.tenths_size(); ++i) {
      Moment* const moment = Of(first + i * kMoment + kMoment / 2);
      if (moment != nullptr) add(counts.tenths(i), moment);
    }
  }

  void KeepBudget() {
    absl::optional<double> balance;
    for (Moment& moment : all_) {
      if (!moment.budget_balance.has_value()) moment.budget_balance = balance;
      balance = moment.budget_balance;
    }
  }

  std::vector<Moment>& all() { return all_; }

 private:
  const absl::Time start_;
  std::vector<Moment> all_;
};

void AddTo(Moment* moment, const ServerCounts& server,
           const shop::Tenth& tenth) {
  *moment->wasted += shop::FromProto(tenth.wasted());
  if (server.name == "routes") moment->attempts += tenth.arrived();
  if (tenth.has_budget()) moment->budget_balance = tenth.budget_balance();
}

}  // namespace

std::vector<Moment> MomentsOf(const std::vector<OrderRecord>& orders,
                              const ShopCounts& counts, absl::Time start,
                              absl::Time end) {
  Moments moments(start, end);
  for (const OrderRecord& order : orders) {
    Moment* const moment = moments.Of(order.placed);
    if (moment == nullptr) continue;
    ++moment->offered;
    if (IsGood(order)) ++moment->good;
  }
  if (!counts.empty()) {
    for (Moment& moment : moments.all()) moment.wasted = absl::ZeroDuration();
  }
  for (const ServerCounts& server : counts) {
    moments.ForTenths(server.counts,
                      [&](const shop::Tenth& tenth, Moment* moment) {
                        AddTo(moment, server, tenth);
                      });
  }
  moments.KeepBudget();
  return moments.all();
}

}  // namespace storm
