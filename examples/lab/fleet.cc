#include "examples/lab/fleet.h"

#include <cmath>
#include <deque>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "examples/lab/event_queue.h"
#include "examples/lab/fleet_tally.h"
#include "examples/lab/work_queue.h"
#include "interceptors/policy/draw.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy/retry_call.h"
#include "interceptors/testing/split_mix64.h"

namespace lab {
namespace {

struct Call {
  absl::optional<forbear::RetryCall> engine;
  bool attempting = false;
  int64_t started = 0;
};

struct Event {
  enum class Kind : uint8_t { kArrival, kTimer, kServed, kRestored, kRemedy };
  Kind kind;
  Job job;
};

class Fleet {
 public:
  explicit Fleet(const FleetPlan& plan)
      : plan_(plan),
        arrivals_(plan.seed),
        chance_(plan.seed + 1),
        queue_(plan),
        tally_(plan) {
    for (int process = 0; process < plan.processes; ++process) {
      budgets_.emplace_back(plan.budget, absl::UnixEpoch());
    }
    policy_.repeatable = forbear::Repeatable::kYes;
    policy_.max_attempts = plan.max_attempts;
    policy_.attempt_timeout = plan.attempt_timeout;
    policy_.backoff.jitter = plan.rule.jitter;
    no_retries_ = policy_;
    no_retries_.max_attempts = 1;
  }

  FleetFigures Run() {
    const absl::Duration outage_end = plan_.healthy + plan_.outage;
    Schedule(outage_end, Event::Kind::kRestored);
    if (plan_.remedy != Remedy::kNothing) {
      Schedule(outage_end + plan_.remedy_at, Event::Kind::kRemedy);
    }
    ScheduleArrival();
    while (!events_.empty()) Handle(events_.Take());
    return tally_.Figures(events_.added());
  }

 private:
  absl::Time Now() const { return absl::FromUnixNanos(events_.now()); }
  bool Down() const {
    const absl::Duration at = absl::Nanoseconds(events_.now());
    return at >= plan_.healthy && at < plan_.healthy + plan_.outage;
  }

  void Schedule(absl::Duration at, Event::Kind kind) {
    events_.Add(absl::ToInt64Nanoseconds(at), {kind, {}});
  }

  void Handle(const Event& event) {
    switch (event.kind) {
      case Event::Kind::kArrival:
        StartCall();
        return ScheduleArrival();
      case Event::Kind::kTimer:
        return TimerFired(event.job);
      case Event::Kind::kServed:
        busy_ = false;
        Served(event.job);
        return Serve();
      case Event::Kind::kRestored:
        return Serve();
      case Event::Kind::kRemedy:
        return Apply(plan_.remedy);
    }
  }

  // --- The callers. ---

  void ScheduleArrival() {
    // In (0, 1], so that its logarithm is finite.
    const double draw = static_cast<double>((arrivals_() >> 11) + 1) * 0x1p-53;
    const double rate = plan_.processes * plan_.calls_per_second * load_factor_;
    const int64_t at =
        events_.now() + static_cast<int64_t>(-std::log(draw) / rate * 1e9);
    const absl::Duration end = plan_.healthy + plan_.outage + plan_.after;
    if (at >= absl::ToInt64Nanoseconds(end)) return;
    events_.Add(at, {Event::Kind::kArrival, {}});
  }

  void StartCall() {
    if (free_.empty()) {
      free_.push_back(static_cast<uint32_t>(calls_.size()));
      calls_.emplace_back();
      serials_.push_back(0);
    }
    const uint32_t id = free_.back();
    free_.pop_back();
    Call& call = calls_[id];
    call.started = events_.now();
    const int64_t process =
        forbear::DrawWhole(arrivals_, 0, plan_.processes - 1);
    forbear::RetryBudgets budgets;
    if (budget_) budgets.target = &budgets_[process];
    call.engine.emplace(retries_ ? policy_ : no_retries_, budgets,
                        forbear::CallFacts());
    tally_.Started(call.started);
    Carry(id, call.engine->Start(Now(), Now() + plan_.call_timeout,
                                 absl::InfiniteFuture()));
  }

  void Carry(uint32_t id, const forbear::Step& step) {
    Call& call = calls_[id];
    call.attempting = step.start;
    Job job;
    job.call = id;
    job.serial = ++serials_[id];
    if (step.finished) {
      if (step.verdict == forbear::Verdict::kSucceeded) {
        tally_.Succeeded(call.started);
      }
      free_.push_back(id);
    } else if (step.start) {
      job.deadline = events_.now() + absl::ToInt64Nanoseconds(step.time);
      events_.AddInLine(job.deadline, {Event::Kind::kTimer, job});
      Arrive(job);
    } else {
      events_.Add(absl::ToUnixNanos(step.wake_at), {Event::Kind::kTimer, job});
    }
  }

  void TimerFired(const Job& job) {
    if (!IsWaitedFor(job)) return;
    Call& call = calls_[job.call];
    if (!call.attempting)
      return Carry(job.call, call.engine->TimerFired(Now()));
    forbear::AttemptEnd end;
    end.code = absl::StatusCode::kDeadlineExceeded;
    end.timed_out = true;
    Ended(job, end);
  }

  void Ended(const Job& job, const forbear::AttemptEnd& end) {
    Call& call = calls_[job.call];
    Carry(job.call, call.engine->AttemptEnded(Now(), end, chance_));
  }

  bool IsWaitedFor(const Job& job) const {
    return serials_[job.call] == job.serial;
  }

  // --- The service. ---

  void Arrive(const Job& job) {
    tally_.Offered(events_.now());
    const absl::optional<Job> refused = queue_.Add(job);
    if (refused.has_value() && IsWaitedFor(*refused)) {
      forbear::AttemptEnd end;
      end.code = absl::StatusCode::kUnavailable;
      Ended(*refused, end);
    }
    Serve();
  }

  void Serve() {
    if (busy_ || Down()) return;
    const absl::optional<Job> job = queue_.Take(events_.now());
    if (!job.has_value()) return;
    busy_ = true;
    events_.Add(events_.now() + cost_, {Event::Kind::kServed, *job});
  }

  void Served(const Job& job) {
    const bool good = IsWaitedFor(job);
    tally_.Served(events_.now(), good);
    if (good) Ended(job, forbear::AttemptEnd());
  }

  void Apply(Remedy remedy) {
    switch (remedy) {
      case Remedy::kNothing:
        return;
      case Remedy::kHalfTheLoad:
        load_factor_ = 0.5;
        return;
      case Remedy::kAFifthOfTheLoad:
        load_factor_ = 0.2;
        return;
      case Remedy::kNoRetries:
        retries_ = false;
        return;
      case Remedy::kBudget:
        budget_ = true;
        return;
      case Remedy::kEmptyQueue:
        return queue_.Clear();
      case Remedy::kNewestFirst:
        return queue_.set_order(FleetOrder::kNewest);
      case Remedy::kDropExpired:
        return queue_.set_drop(Drop::kExpired);
      case Remedy::kDropDoomed:
        return queue_.set_drop(Drop::kDoomed);
    }
  }

  const FleetPlan plan_;
  const int64_t cost_ = absl::ToInt64Nanoseconds(plan_.Cost());
  forbear::MethodPolicy policy_;
  forbear::MethodPolicy no_retries_;
  EventQueue<Event> events_;
  forbear::SplitMix64 arrivals_;
  forbear::SplitMix64 chance_;
  std::deque<forbear::RetryBudget> budgets_;  // Of each process.
  std::deque<Call> calls_;
  // Of each call's last step: an event for another is stale. Apart from the
  // calls, since most events ask for nothing else.
  std::vector<uint32_t> serials_;
  std::vector<uint32_t> free_;
  WorkQueue queue_;
  bool busy_ = false;
  bool retries_ = true;
  bool budget_ = plan_.rule.budget;
  double load_factor_ = 1;
  FleetTally tally_;
};

}  // namespace

FleetFigures RunFleet(const FleetPlan& plan) { return Fleet(plan).Run(); }

}  // namespace lab
