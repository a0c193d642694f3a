#include "examples/storm/course.h"

#include <grpcpp/create_channel.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "examples/storm/admin.h"
#include "examples/storm/driver.h"
#include "examples/storm/moments.h"
#include "examples/storm/order_record.h"
#include "examples/storm/shop_processes.h"
#include "interceptors/client/channel.h"
#include "interceptors/context/clock.h"

namespace storm {
namespace {

const absl::Duration kTick = absl::Milliseconds(100);
const absl::Duration kBetweenOrders = absl::Seconds(1) / kOrdersPerSecond;

std::shared_ptr<grpc::ChannelInterface> ChannelTo(const std::string& gateway,
                                                  Manner manner) {
  const auto credentials = grpc::InsecureChannelCredentials();
  if (manner == Manner::kByHand) {
    return grpc::CreateChannel(gateway, credentials);
  }
  return forbear::CreateChannel(gateway, credentials);
}

absl::Status UserWantsOut() { return absl::CancelledError("interrupted"); }

class Run {
 public:
  Run(const ShopProcesses& shop, Manner manner, Interrupt* interrupt)
      : admin_(shop),
        driver_(ChannelTo(shop.gateway(), manner), manner),
        manner_(manner),
        interrupt_(interrupt),
        next_order_(forbear::SteadyNow()) {}

  absl::StatusOr<Course> ToItsEnd() {
    for (int phase = 0; phase < kPhases; ++phase) {
      const absl::Status status = RunPhase(phase);
      if (!status.ok()) return status;
    }
    const absl::Time end = forbear::SteadyNow();
    while (!driver_.Settled()) {
      if (!interrupt_->WaitUntil(forbear::SteadyNow() + kTick)) {
        return UserWantsOut();
      }
    }
    return Count(end);
  }

 private:
  absl::Status RunPhase(int phase) {
    const Phase& now = kPlan[phase];
    std::printf("%s: %s, %s%s\n",
                manner_ == Manner::kByHand ? "by hand" : "forbear", now.name,
                absl::FormatDuration(now.length).c_str(),
                phase == kRecovering ? " at most" : "");
    std::fflush(stdout);
    const absl::StatusOr<shop::Counts> counts = admin_.SetFault(now.fault);
    if (!counts.ok()) return counts.status();
    arrived_before_[phase] = counts->arrived();
    began_[phase] = forbear::SteadyNow();
    const absl::Time end = began_[phase] + now.length;
    for (; next_order_ < end; next_order_ += kBetweenOrders) {
      if (phase == kRecovering && Recovered()) return absl::OkStatus();
      if (!interrupt_->WaitUntil(next_order_)) return UserWantsOut();
      driver_.Place();
    }
    return interrupt_->WaitUntil(end) ? absl::OkStatus() : UserWantsOut();
  }

  // Looks no more often than it may change.
  bool Recovered() {
    const absl::Time now = forbear::SteadyNow();
    if (now < next_look_) return false;
    next_look_ = now + kTick;
    return RecoveredAfter(driver_.orders(), began_[kRecovering], now)
        .has_value();
  }

  absl::StatusOr<Course> Count(absl::Time end) {
    absl::StatusOr<shop::Counts> routes = admin_.Routes();
    if (!routes.ok()) return routes.status();
    const absl::StatusOr<int64_t> entered_late = admin_.EnteredLate();
    if (!entered_late.ok()) return entered_late.status();

    const std::vector<OrderRecord> orders = driver_.orders();
    Course course;
    course.name = manner_ == Manner::kByHand ? "bare" : "forbear";
    course.moments = MomentsOf(orders, *routes, began_[kHealthy], end);
    Figures& figures = course.figures;
    for (int phase = 0; phase < kPhases; ++phase) {
      const bool last = phase + 1 == kPhases;
      course.phases.push_back(
          {kPlan[phase].name, began_[phase] - began_[kHealthy],
           (last ? end : began_[phase + 1]) - began_[kHealthy]});
      figures.phases[phase].orders =
          PlacedBetween(orders, began_[phase],
                        last ? absl::InfiniteFuture() : began_[phase + 1]);
      figures.phases[phase].attempts =
          (last ? routes->arrived() : arrived_before_[phase + 1]) -
          arrived_before_[phase];
    }
    for (const int arrived : routes->arrived_by_tenth()) {
      figures.busiest_tenth = std::max(figures.busiest_tenth, arrived);
    }
    figures.orders = static_cast<int>(orders.size());
    figures.in_time = static_cast<int>(
        std::count_if(orders.begin(), orders.end(), AnsweredInTime));
    figures.good =
        static_cast<int>(std::count_if(orders.begin(), orders.end(), IsGood));
    figures.entered_late = *entered_late;
    figures.recovery = RecoveredAfter(orders, began_[kRecovering], end);
    return course;
  }

  Admin admin_;
  Driver driver_;
  const Manner manner_;
  Interrupt* const interrupt_;
  absl::Time next_order_;
  absl::Time next_look_ = absl::InfinitePast();
  absl::Time began_[kPhases];
  int64_t arrived_before_[kPhases] = {};
};

}  // namespace

absl::StatusOr<Course> RunCourse(
    const std::function<std::string(const std::string&)>& find, Manner manner,
    Interrupt* interrupt) {
  const auto shop = ShopProcesses::Start(find, manner);
  if (!shop.ok()) return shop.status();
  return Run(**shop, manner, interrupt).ToItsEnd();
}

}  // namespace storm
