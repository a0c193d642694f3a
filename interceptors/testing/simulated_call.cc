#include "interceptors/testing/simulated_call.h"

#include <map>
#include <memory>
#include <utility>

namespace forbear {
namespace {

// Lives as long as a timer or a callee may come back to it.
class RunningCall : public std::enable_shared_from_this<RunningCall> {
 public:
  RunningCall(ManualClock& clock, absl::BitGenRef chance,
              const SimulatedCall& call, Callee callee,
              std::function<void(const CallTrace&)> done)
      : clock_(clock),
        chance_(chance),
        call_(call),
        callee_(std::move(callee)),
        done_(std::move(done)),
        start_(clock.Now()),
        engine_(call_.policy, call_.budgets, call_.facts) {}

  void Start() {
    cancel_ = AddTimer(start_ + call_.cancelled,
                       [self = shared_from_this()] { self->Cancel(); });
    Carry(
        engine_.Start(start_, start_ + call_.timeout, start_ + call_.inbound));
  }

 private:
  ManualClock::Timer AddTimer(absl::Time at, std::function<void()> fire) {
    return clock_.AddTimer(at, std::move(fire), call_.rank);
  }

  void Carry(const Step& step) {
    clock_.Cancel(timer_);
    if (step.finished) return Finish(step);
    if (step.start) Attempt(step);
    Wait(step);
  }

  void Attempt(const Step& step) {
    trace_.attempts.push_back(clock_.Now() - start_);
    trace_.times.push_back(step.time);
    if (step.hedge) trace_.hedges.push_back(step.attempt);
    AttemptEnd timed_out;
    timed_out.code = absl::StatusCode::kDeadlineExceeded;
    timed_out.timed_out = true;
    const auto ended = [self = shared_from_this(),
                        attempt = step.attempt](const AttemptEnd& end) {
      self->Ended(attempt, end);
    };
    // Before the callee's own timers: an answer on the deadline is too late.
    under_way_[step.attempt] = AddTimer(
        clock_.Now() + step.time, [ended, timed_out] { ended(timed_out); });
    callee_({step.attempt, clock_.Now(), step.time}, ended);
  }

  void Ended(int attempt, AttemptEnd end) {
    const auto found = under_way_.find(attempt);
    if (found == under_way_.end()) return;
    clock_.Cancel(found->second);
    under_way_.erase(found);
    end.attempt = attempt;
    trace_.code = end.code;
    Carry(engine_.AttemptEnded(clock_.Now(), end, chance_));
  }

  void Wait(const Step& step) {
    if (under_way_.empty()) trace_.waits.push_back(step.wake_at - clock_.Now());
    timer_ = AddTimer(step.wake_at, [self = shared_from_this()] {
      self->Carry(self->engine_.TimerFired(self->clock_.Now()));
    });
  }

  void Cancel() {
    trace_.code = absl::StatusCode::kCancelled;
    Carry(engine_.Cancelled());
  }

  void Finish(const Step& step) {
    clock_.Cancel(cancel_);
    for (const auto& [attempt, timer] : under_way_) clock_.Cancel(timer);
    trace_.cancelled = static_cast<int>(under_way_.size());
    under_way_.clear();
    trace_.answered = step.attempt;
    if (step.verdict == Verdict::kDeadline) {
      trace_.code = absl::StatusCode::kDeadlineExceeded;
    }
    trace_.finished = true;
    trace_.verdict = step.verdict;
    trace_.not_applied = engine_.not_applied();
    trace_.elapsed = clock_.Now() - start_;
    done_(trace_);
  }

  ManualClock& clock_;
  absl::BitGenRef chance_;
  const SimulatedCall call_;
  const Callee callee_;
  const std::function<void(const CallTrace&)> done_;
  const absl::Time start_;
  RetryCall engine_;
  // The attempts that may still be answered, and what ends each.
  std::map<int, ManualClock::Timer> under_way_;
  ManualClock::Timer timer_;   // Ends the wait, or sends the next hedge.
  ManualClock::Timer cancel_;  // Ends the call.
  CallTrace trace_;
};

}  // namespace

void StartCall(ManualClock& clock, absl::BitGenRef chance,
               const SimulatedCall& call, Callee callee,
               std::function<void(const CallTrace&)> done) {
  std::make_shared<RunningCall>(clock, chance, call, std::move(callee),
                                std::move(done))
      ->Start();
}

CallTrace RunCall(ManualClock& clock, absl::BitGenRef chance,
                  const SimulatedCall& call, Callee callee) {
  auto ended = std::make_shared<CallTrace>();
  StartCall(clock, chance, call, std::move(callee),
            [ended](const CallTrace& trace) { *ended = trace; });
  while (!ended->finished && clock.FireNext()) {
  }
  return *ended;
}

}  // namespace forbear
