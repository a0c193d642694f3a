#include "examples/storm/evidence.h"

#include <algorithm>
#include <map>

#include "examples/shop/proto_time.h"
#include "examples/storm/moments.h"
#include "examples/storm/order_lines.h"

namespace storm {
namespace {

// How often the card of each order was charged.
std::map<int64_t, int> ChargesByOrder(const Evidence& evidence) {
  std::map<int64_t, int> charges;
  for (const shop::Charge& charge : evidence.charges) {
    ++charges[charge.order_id()];
  }
  return charges;
}

void CountPayments(const Evidence& evidence, Figures* figures) {
  std::map<int64_t, int> charges = ChargesByOrder(evidence);
  for (const auto& [order, times] : charges) {
    if (times > 1) ++figures->double_charges;
  }
  for (const shop::PlacedOrder& placed : evidence.placed) {
    const bool paid =
        placed.state() == shop::UNASSIGNED || placed.state() == shop::ASSIGNED;
    const bool charged = charges.count(placed.order().id()) > 0;
    if (placed.state() == shop::PENDING || paid != charged) ++figures->pending;
    if (placed.state() == shop::UNASSIGNED) ++figures->unassigned;
  }
}

void CountOrders(const Evidence& evidence, Figures* figures) {
  const auto& orders = evidence.orders;
  const auto count = [&](bool (*is)(const OrderRecord&)) {
    return static_cast<int>(std::count_if(orders.begin(), orders.end(), is));
  };
  figures->orders = static_cast<int>(orders.size());
  figures->in_time = count(AnsweredInTime);
  figures->good = count(IsGood);
  figures->fell_back = count(FellBack);
  if (evidence.phases.size() <= kRecovering) return;
  const bool ended = evidence.phases.size() > kRecovering + 1;
  figures->recovery = RecoveredAfter(
      orders, evidence.phases[kRecovering].began,
      ended ? evidence.phases[kRecovering + 1].began : evidence.end);
}

void CountHandlers(const Evidence& evidence, Figures* figures) {
  for (const ServerCounts& server : evidence.counts) {
    figures->entered_late += server.counts.entered_late();
    figures->wasted += shop::FromProto(server.counts.wasted());
    if (server.name != "routes") continue;
    for (const shop::Tenth& tenth : server.counts.tenths()) {
      figures->busiest_tenth =
          std::max(figures->busiest_tenth, tenth.arrived());
    }
  }
}

// In the moments that lie within a phase, the most attempts over the mean.
double PeakOverMean(const std::vector<Moment>& moments,
                    const PhaseSpan& phase) {
  double sum = 0;
  int peak = 0;
  int count = 0;
  for (const Moment& moment : moments) {
    const bool within = moment.at >= phase.from &&
                        moment.at + absl::Milliseconds(100) <= phase.until;
    if (!within) continue;
    sum += moment.attempts;
    peak = std::max(peak, moment.attempts);
    ++count;
  }
  return sum == 0 ? 0 : peak / (sum / count);
}

}  // namespace

Course CourseOf(const Evidence& evidence) {
  Course course;
  const absl::Time start = evidence.phases.front().began;
  const int64_t arrived = CountsOf(evidence.counts, "routes").arrived();
  course.moments =
      MomentsOf(evidence.orders, evidence.counts, start, evidence.end);
  course.orders =
      OrderLines(evidence.sampled, evidence.orders, evidence.counts, start);
  for (size_t i = 0; i < evidence.phases.size(); ++i) {
    const bool last = i + 1 == evidence.phases.size();
    const PhaseStart& phase = evidence.phases[i];
    const PhaseStart next =
        last ? PhaseStart{evidence.end, arrived} : evidence.phases[i + 1];
    course.phases.push_back(
        {kPlan[i].name, phase.began - start, next.began - start});
    course.figures.phases[i].orders =
        PlacedBetween(evidence.orders, phase.began,
                      last ? absl::InfiniteFuture() : next.began);
    course.figures.phases[i].attempts = next.arrived - phase.arrived;
  }
  if (course.phases.size() > kRecovering) {
    course.figures.recovery_peak =
        PeakOverMean(course.moments, course.phases[kRecovering]);
  }
  CountOrders(evidence, &course.figures);
  CountHandlers(evidence, &course.figures);
  CountPayments(evidence, &course.figures);
  return course;
}

}  // namespace storm
