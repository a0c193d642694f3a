#include "interceptors/admission/admission.h"

#include <algorithm>
#include <utility>

#include "interceptors/context/chance.h"
#include "interceptors/context/clock.h"

namespace forbear {

Admission::Admission(int limit, const QueueOptions& options, int least)
    : options_(options),
      server_(limit == 0 ? nullptr
                         : std::make_unique<Gate>(least == 0 ? limit : least,
                                                  options, SteadyNow())),
      adaptive_(least == 0 ? absl::nullopt
                           : absl::make_optional<AdaptiveLimit>(least, limit,
                                                                SteadyNow())),
      watcher_([this] { Watch(); }) {}

Admission::~Admission() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  watch_.notify_one();
  watcher_.join();
}

Gate* Admission::AddGate(int limit) {
  std::lock_guard<std::mutex> lock(mutex_);
  gates_.push_back(std::make_unique<Gate>(limit, options_, SteadyNow()));
  return gates_.back().get();
}

void Admission::Took(absl::Duration time) {
  if (!adaptive_.has_value()) return;
  Chance chance;
  std::lock_guard<std::mutex> lock(mutex_);
  const absl::Time now = SteadyNow();
  if (adaptive_->Record(time, server_->queue_.running(), now, chance)) {
    server_->queue_.SetLimit(adaptive_->limit(), now);
  }
}

bool Admission::HasRoom(const Gate* gate) const {
  return (gate == nullptr || gate->queue_.HasRoom()) &&
         (server_ == nullptr || server_->queue_.HasRoom());
}

absl::optional<absl::Duration> Admission::EnterOrTurnAway(Gate* gate,
                                                          bool turn_away) {
  Chance chance;
  std::lock_guard<std::mutex> lock(mutex_);
  const absl::Time now = SteadyNow();
  absl::optional<absl::Duration> pushback;
  if (!HasRoom(gate)) {
    Gate& full = gate != nullptr && !gate->queue_.HasRoom() ? *gate : *server_;
    pushback = full.queue_.TurnAway(now, chance);
    if (turn_away) return pushback;
  }
  // Nobody is charged for it, and nobody asks for it by name.
  WaitingCall nameless;
  if (gate != nullptr) gate->queue_.Enter(nameless, now);
  if (server_ != nullptr) server_->queue_.Enter(nameless, now);
  return pushback;
}

void Admission::LeaveRoom(Gate* gate) {
  Chance chance;
  Readies readies;
  {
    WaitingCall nameless;
    Decisions at_method, at_server;
    std::lock_guard<std::mutex> lock(mutex_);
    const absl::Time now = SteadyNow();
    if (server_ != nullptr) {
      server_->queue_.Leave(nameless, now, chance, &at_server);
    }
    if (gate != nullptr) gate->queue_.Leave(nameless, now, chance, &at_method);
    readies = Follow(std::move(at_method), std::move(at_server), now);
  }
  RunElsewhere(std::move(readies));
}

bool Admission::EnterAtOnce(HeldCall& call, HeldCall::Verdict* verdict,
                            bool keep) {
  std::lock_guard<std::mutex> lock(mutex_);
  verdict->over_limit = !HasRoom(call.gate_);
  if (verdict->over_limit && keep) return false;
  const absl::Time now = SteadyNow();
  if (call.gate_ != nullptr) call.gate_->queue_.Enter(call.at_method_, now);
  if (server_ != nullptr) server_->queue_.Enter(call.at_server_, now);
  return true;
}

void Admission::Arrive(std::unique_ptr<HeldCall> owned, Gate* gate, bool keep) {
  HeldCall* const call = owned.release();
  call->gate_ = gate;
  HeldCall::Verdict at_once;
  if (EnterAtOnce(*call, &at_once, keep)) return RunOn({call, at_once});

  absl::optional<Ready> mine;
  Readies elsewhere;
  const bool may_block = call->Blocks();
  for (const Ready& ready : Queue(*call)) {
    if (!ready.verdict.refusal.has_value()) {
      if (ready.call == call) {
        mine = ready;
      } else {
        elsewhere.push_back(ready);
      }
    } else if (may_block || !ready.call->Blocks()) {
      Refuse(ready);  // A flood pays for its own refusals.
    } else {
      elsewhere.push_back(ready);
    }
  }
  RunElsewhere(std::move(elsewhere));
  if (mine.has_value()) RunOn(*mine);
}

Admission::Readies Admission::Queue(HeldCall& call) {
  const HeldCall::Description description = call.Describe();
  for (HeldCall::Stage* stage : {&call.at_method_, &call.at_server_}) {
    stage->call = &call;
    stage->caller = description.caller;
    stage->latest_start = description.latest_start;
    stage->urgency = description.urgency;
    stage->repeat = description.repeat;
  }
  Chance chance;
  Decisions at_method, at_server;
  std::lock_guard<std::mutex> lock(mutex_);
  const absl::Time now = SteadyNow();
  call.arrived_ = now;
  if (call.gate_ != nullptr) {
    call.gate_->queue_.Arrive(call.at_method_, now, chance, &at_method);
  } else {
    server_->queue_.Arrive(call.at_server_, now, chance, &at_server);
  }
  return Follow(std::move(at_method), std::move(at_server), now);
}

void Admission::Leave(HeldCall* call) {
  RunElsewhere(LeaveGates(*call));
  delete call;
}

Admission::Readies Admission::LeaveGates(HeldCall& call) {
  Chance chance;
  Decisions at_method, at_server;
  std::lock_guard<std::mutex> lock(mutex_);
  const absl::Time now = SteadyNow();
  if (server_ != nullptr) {
    server_->queue_.Leave(call.at_server_, now, chance, &at_server);
  }
  if (call.gate_ != nullptr) {
    call.gate_->queue_.Leave(call.at_method_, now, chance, &at_method);
  }
  return Follow(std::move(at_method), std::move(at_server), now);
}

Admission::Readies Admission::Follow(Decisions at_method, Decisions at_server,
                                     absl::Time now) {
  Chance chance;
  Readies readies;
  const auto take = [&](Decisions& from) {
    const AdmissionQueue::Decision decision = from.back();
    from.pop_back();
    HeldCall* const call = static_cast<HeldCall::Stage*>(decision.call)->call;
    readies.push_back(
        {call,
         {decision.refusal, decision.pushback, now - call->arrived_, false}});
    return readies.back();
  };
  while (!at_method.empty() || !at_server.empty()) {
    if (!at_method.empty()) {
      const Ready ready = take(at_method);
      if (ready.verdict.refusal.has_value() || server_ == nullptr) continue;
      readies.pop_back();
      server_->queue_.Arrive(ready.call->at_server_, now, chance, &at_server);
    } else {
      const Ready ready = take(at_server);
      if (!ready.verdict.refusal.has_value() || ready.call->gate_ == nullptr) {
        continue;
      }
      ready.call->gate_->queue_.Leave(ready.call->at_method_, now, chance,
                                      &at_method);
    }
  }
  Noted();
  return readies;
}

void Admission::RunOn(Ready ready) {
  while (ready.call->Run(ready.verdict)) {
    Readies next = LeaveGates(*ready.call);
    delete ready.call;
    const auto mine =
        std::find_if(next.begin(), next.end(), [](const Ready& candidate) {
          return !candidate.verdict.refusal.has_value();
        });
    if (mine == next.end()) return RunElsewhere(std::move(next));
    ready = *mine;
    next.erase(mine);
    RunElsewhere(std::move(next));
  }
}

void Admission::Refuse(const Ready& ready) {
  ready.call->Run(ready.verdict);
  delete ready.call;
}

void Admission::RunElsewhere(Readies readies) {
  Readies refused;
  for (const Ready& ready : readies) {
    if (ready.verdict.refusal.has_value()) {
      refused.push_back(ready);
    } else {
      threads_.Post([this, ready] { RunOn(ready); });
    }
  }
  if (refused.empty()) return;
  std::lock_guard<std::mutex> lock(mutex_);
  refused_.insert(refused_.end(), refused.begin(), refused.end());
  watch_.notify_one();
}

absl::optional<absl::Duration> Admission::RefusedAtTheDoor(
    Gate* gate, absl::string_view caller) {
  Chance chance;
  std::lock_guard<std::mutex> lock(mutex_);
  const absl::Time now = SteadyNow();
  if (gate != nullptr) {
    const auto wait = gate->queue_.RefusedAtTheDoor(caller, now, chance);
    if (wait.has_value()) return wait;
  }
  if (server_ == nullptr) return absl::nullopt;
  return server_->queue_.RefusedAtTheDoor(caller, now, chance);
}

void Admission::Drain() {
  Chance chance;
  Readies readies;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const absl::Time now = SteadyNow();
    Decisions at_method, at_server;
    // The server's first: what it lets go must not go on to it.
    if (server_ != nullptr) server_->queue_.Drain(now, chance, &at_server);
    for (const auto& gate : gates_) {
      gate->queue_.Drain(now, chance, &at_method);
    }
    readies = Follow(std::move(at_method), std::move(at_server), now);
  }
  RunElsewhere(std::move(readies));
}

size_t Admission::waiting() const {
  std::lock_guard<std::mutex> lock(mutex_);
  size_t waiting = server_ == nullptr ? 0 : server_->queue_.waiting();
  for (const auto& gate : gates_) waiting += gate->queue_.waiting();
  return waiting;
}

void Admission::Noted() {
  bool crowded = false;
  absl::Time wake_at = absl::InfiniteFuture();
  const auto look = [&](const Gate& gate) {
    crowded |= gate.queue_.newest_first();
    wake_at = std::min(wake_at, gate.queue_.WakeAt());
  };
  if (server_ != nullptr) look(*server_);
  for (const auto& gate : gates_) look(*gate);
  crowded_.store(crowded, std::memory_order_relaxed);
  // Waking too early costs little, and later ones are found then.
  if (wake_at < wake_at_) {
    wake_at_ = wake_at;
    watch_.notify_one();
  }
}

Admission::Readies Admission::LookForLate(absl::Time now) {
  Chance chance;
  Decisions at_method, at_server;
  if (server_ != nullptr) server_->queue_.Tick(now, chance, &at_server);
  for (const auto& gate : gates_) gate->queue_.Tick(now, chance, &at_method);
  wake_at_ = absl::InfiniteFuture();
  return Follow(std::move(at_method), std::move(at_server), now);
}

void Admission::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_ || !refused_.empty()) {
    const absl::Time now = SteadyNow();
    Readies readies = std::exchange(refused_, {});
    if (wake_at_ <= now) {
      const Readies late = LookForLate(now);
      readies.insert(readies.end(), late.begin(), late.end());
    }
    if (!readies.empty()) {
      lock.unlock();
      for (const Ready& ready : readies) {
        if (ready.verdict.refusal.has_value()) {
          Refuse(ready);
        } else {
          threads_.Post([this, ready] { RunOn(ready); });
        }
      }
      lock.lock();
    } else if (wake_at_ == absl::InfiniteFuture()) {
      watch_.wait(lock);
    } else {
      watch_.wait_for(lock, absl::ToChronoNanoseconds(wake_at_ - now));
    }
  }
}

}  // namespace forbear
