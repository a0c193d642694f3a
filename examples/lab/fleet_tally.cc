#include "examples/lab/fleet_tally.h"

#include <algorithm>

#include "absl/types/optional.h"

namespace lab {
namespace {

// What is under way at the plan's end goes on for a while.
constexpr int64_t kSlack = 60;

bool IsGood(const FleetSecond& second) {
  return second.succeeded * 100 >= second.started * 95;
}

double Share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / whole;
}

}  // namespace

FleetTally::FleetTally(const FleetPlan& plan)
    : plan_(plan),
      length_((plan.healthy + plan.outage + plan.after) / absl::Seconds(1)),
      seconds_(length_ + kSlack),
      tenths_(seconds_.size() * 10) {}

FleetFigures FleetTally::Figures(uint64_t events) const {
  FleetFigures figures;
  figures.events = events;
  figures.seconds.assign(seconds_.begin(), seconds_.begin() + length_);
  figures.peak = static_cast<double>(*std::max_element(
                     tenths_.begin(), tenths_.begin() + length_ * 10)) /
                 (plan_.Capacity() / 10);

  const absl::Duration outage_end = plan_.healthy + plan_.outage;
  FleetSecond sum;
  for (int64_t i = outage_end / absl::Seconds(1); i < length_; ++i) {
    sum.good += seconds_[i].good;
    sum.wasted += seconds_[i].wasted;
    sum.started += seconds_[i].started;
    sum.succeeded += seconds_[i].succeeded;
  }
  figures.good_share = Share(sum.succeeded, sum.started);
  figures.wasted_share = Share(sum.wasted, sum.wasted + sum.good);
  figures.recovered = RecoveredSince(outage_end);
  figures.recovered_by_remedy = RecoveredSince(outage_end + plan_.remedy_at);
  return figures;
}

Recovery FleetTally::RecoveredSince(absl::Duration since) const {
  const int64_t first = since / absl::Seconds(1);
  int64_t in_a_row = 0;
  for (int64_t i = first; i < length_; ++i) {
    in_a_row = IsGood(seconds_[i]) ? in_a_row + 1 : 0;
    if (in_a_row == 5) return absl::Seconds(i - 4 - first);
  }
  return absl::nullopt;
}

}  // namespace lab
