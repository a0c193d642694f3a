#include "examples/storm/course.h"

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "examples/storm/admin.h"
#include "examples/storm/driver.h"
#include "examples/storm/every.h"
#include "examples/storm/evidence.h"
#include "examples/storm/order_record.h"
#include "examples/storm/plan.h"
#include "interceptors/context/clock.h"

namespace storm {
namespace {

const absl::Duration kTick = absl::Milliseconds(100);
const absl::Duration kBetweenLooks = absl::Milliseconds(250);
// The longest that a re-enqueued order may take, and more.
const absl::Duration kSweepPatience = absl::Seconds(20);

const char* const kNames[shop::kManners] = {
    "bare",    "+ deadlines", "+ jitter", "+ budget",
    "+ guard", "+ one layer", "forbear"};

absl::Status UserWantsOut() { return absl::CancelledError("interrupted"); }

class Run {
 public:
  Run(ShopProcesses* shop, Manner manner, Interrupt* interrupt,
      const WhileItRuns& told)
      : shop_(shop),
        manner_(manner),
        interrupt_(interrupt),
        told_(told),
        admin_(*shop),
        driver_(shop->gateway(), manner),
        next_order_(forbear::SteadyNow()) {}

  absl::StatusOr<Course> ToItsEnd() {
    std::unique_ptr<Every> looks;
    if (told_ != nullptr) {
      looks = std::make_unique<Every>(kBetweenLooks, [this] { Look(); });
    }
    for (int phase = 0; phase < kPhases; ++phase) {
      const absl::Status status = RunPhase(phase);
      if (!status.ok()) return status;
    }
    const absl::Time end = forbear::SteadyNow();
    looks = nullptr;
    const absl::Status settled = AwaitTheLastOrders();
    if (!settled.ok()) return settled;
    return Count(end);
  }

 private:
  absl::Status RunPhase(int phase) {
    const Phase& plan = kPlan[phase];
    if (told_ == nullptr) Say(phase);
    absl::Status status = BeginPhase(phase);
    if (!status.ok()) return status;
    const absl::Time began = forbear::SteadyNow();
    const absl::Time end = began + plan.length;
    bool sampled = false;
    for (; next_order_ < end;
         next_order_ += absl::Seconds(1) / plan.orders_per_second) {
      if (phase == kRecovering && Recovered(began)) return absl::OkStatus();
      if (!interrupt_->WaitUntil(next_order_)) return UserWantsOut();
      const bool sample = !sampled && next_order_ - began >= plan.sampled;
      Place(sample);
      sampled = sampled || sample;
      status = KillPaymentsWhenDue(phase, began);
      if (!status.ok()) return status;
    }
    if (!interrupt_->WaitUntil(end)) return UserWantsOut();
    return EndPhase(phase);
  }

  void Say(int phase) const {
    std::printf("%s: %s, %s%s\n", kNames[static_cast<int>(manner_)],
                kPlan[phase].name,
                absl::FormatDuration(kPlan[phase].length).c_str(),
                phase == kRecovering ? " at most" : "");
    std::fflush(stdout);
  }

  absl::Status BeginPhase(int phase) {
    const absl::StatusOr<shop::Counts> counts =
        admin_.SetFault(kPlan[phase].fault, kPlan[phase].admitted_per_second);
    if (!counts.ok()) return counts.status();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      phases_.push_back({forbear::SteadyNow(), counts->arrived()});
    }
    if (phase != kSweep) return absl::OkStatus();
    auto sweep = shop_->Sweep(
        manner_ == Manner::kForbear ? kSweepWindow : absl::ZeroDuration());
    if (!sweep.ok()) return sweep.status();
    sweep_ = *std::move(sweep);
    return absl::OkStatus();
  }

  absl::Status EndPhase(int phase) {
    if (phase == kPaymentsDie) return shop_->AwaitPayments();
    if (phase == kSweep) return sweep_->ReadLine(kSweepPatience).status();
    return absl::OkStatus();
  }

  void Place(bool sample) {
    const int64_t order = driver_.Place(sample);
    if (!sample) return;
    std::lock_guard<std::mutex> lock(mutex_);
    sampled_.push_back(order);
  }

  absl::Status KillPaymentsWhenDue(int phase, absl::Time began) {
    if (phase != kPaymentsDie || killed_) return absl::OkStatus();
    if (forbear::SteadyNow() - began < kPaymentsLive) return absl::OkStatus();
    killed_ = true;
    const absl::Status kept = admin_.KeepCountsOfPayments();
    return kept.ok() ? shop_->KillAndRestartPayments() : kept;
  }

  // Looks no more often than it may change.
  bool Recovered(absl::Time since) {
    const absl::Time now = forbear::SteadyNow();
    if (now < next_look_) return false;
    next_look_ = now + kTick;
    return RecoveredAfter(driver_.orders(), since, now).has_value();
  }

  // Until none can change what the figures say.
  absl::Status AwaitTheLastOrders() {
    const absl::Time give_up = forbear::SteadyNow() + kPatience;
    while (forbear::SteadyNow() < give_up) {
      const auto placed = admin_.Orders();
      if (!placed.ok()) return placed.status();
      bool pending = false;
      for (const shop::PlacedOrder& order : *placed) {
        pending = pending || order.state() == shop::PENDING;
      }
      if (driver_.Settled() && !pending) break;
      if (!interrupt_->WaitUntil(forbear::SteadyNow() + kTick)) {
        return UserWantsOut();
      }
    }
    return absl::OkStatus();
  }

  // What is known without asking who has better things to do.
  absl::StatusOr<Evidence> Known(absl::Time end) {
    absl::StatusOr<ShopCounts> counts = admin_.Count();
    if (!counts.ok()) return counts.status();
    Evidence evidence;
    evidence.end = end;
    evidence.orders = driver_.orders();
    evidence.counts = *std::move(counts);
    std::lock_guard<std::mutex> lock(mutex_);
    evidence.phases = phases_;
    evidence.sampled = sampled_;
    return evidence;
  }

  Course Named(const Evidence& evidence) const {
    Course course = CourseOf(evidence);
    course.key = std::string(shop::MannerName(manner_));
    course.name = kNames[static_cast<int>(manner_)];
    return course;
  }

  // A server that does not answer is heard of where the course needs it.
  void Look() {
    const absl::StatusOr<Evidence> known = Known(forbear::SteadyNow());
    if (known.ok() && !known->phases.empty()) told_(Named(*known));
  }

  absl::StatusOr<Course> Count(absl::Time end) {
    absl::StatusOr<Evidence> evidence = Known(end);
    if (!evidence.ok()) return evidence.status();
    auto placed = admin_.Orders();
    if (!placed.ok()) return placed.status();
    evidence->placed = *std::move(placed);
    auto charges = admin_.Charges();
    if (!charges.ok()) return charges.status();
    evidence->charges = *std::move(charges);
    return Named(*evidence);
  }

  ShopProcesses* const shop_;
  const Manner manner_;
  Interrupt* const interrupt_;
  const WhileItRuns told_;
  Admin admin_;
  Driver driver_;
  std::unique_ptr<ChildProcess> sweep_;
  bool killed_ = false;
  absl::Time next_order_;
  absl::Time next_look_ = absl::InfinitePast();
  std::mutex mutex_;  // Guards all below.
  std::vector<PhaseStart> phases_;
  std::vector<int64_t> sampled_;
};

}  // namespace

absl::StatusOr<Course> RunCourse(const ShopProcesses::Find& find,
                                 const ShopOptions& options,
                                 Interrupt* interrupt,
                                 const WhileItRuns& told) {
  const auto shop = ShopProcesses::Start(find, options);
  if (!shop.ok()) return shop.status();
  return Run(shop->get(), options.manner, interrupt, told).ToItsEnd();
}

}  // namespace storm
