#include "interceptors/admission/admission_queue.h"

#include <algorithm>
#include <cmath>

#include "interceptors/policy/draw.h"

namespace forbear {
namespace {

constexpr absl::Duration kLongestPushback = absl::Seconds(30);

}  // namespace

AdmissionQueue::AdmissionQueue(int limit, const QueueOptions& options,
                               absl::Time now)
    : limit_(limit), options_(options), start_(now), rate_(limit) {}

int64_t AdmissionQueue::Elapsed(absl::Time now) const {
  return absl::ToInt64Nanoseconds(now - start_);
}

void AdmissionQueue::Enter(WaitingCall& call, absl::Time now) {
  call.entered = now;
  ++running_;
  CountFull(now);
}

void AdmissionQueue::SetLimit(int limit, absl::Time now) {
  limit_ = limit;
  CountFull(now);
}

void AdmissionQueue::Arrive(WaitingCall& call, absl::Time now,
                            absl::BitGenRef chance, Decisions* decisions) {
  call.arrived = now;
  if (HasRoom() && by_age_.empty()) {
    Enter(call, now);
    decisions->push_back({&call, absl::nullopt, {}, {}});
    return;
  }
  RefuseLate(now, chance, decisions);
  Add(call, now);
  if (draining_)
    return Refuse(call, Refusal::kDraining, now, chance, decisions);
  newest_first_ = newest_first_ || PastTarget(now);
  if (newest_first_) RefuseUnreachable(*call.from, now, chance, decisions);
  if (by_age_.size() > static_cast<size_t>(options_.max_calls)) {
    Refuse(callers_.Longest().Last(), Refusal::kOverloaded, now, chance,
           decisions);
  }
  newest_first_ = newest_first_ && !by_age_.empty();
}

void AdmissionQueue::Add(WaitingCall& call, absl::Time now) {
  call.sequence = ++sequences_;
  call.refuse_at = std::min(call.latest_start, now + options_.max_time);
  call.from = &callers_.Find(call.caller, now);
  call.from->arrivals.Add(1, Elapsed(now));
  callers_.Add(*call.from, call);
  by_age_.emplace(call.sequence, &call);
  by_refuse_at_.emplace(call.refuse_at, call.sequence);
}

void AdmissionQueue::Remove(WaitingCall& call) {
  callers_.Remove(*call.from, call);
  by_age_.erase(call.sequence);
  by_refuse_at_.erase({call.refuse_at, call.sequence});
}

void AdmissionQueue::Admit(WaitingCall& call, absl::Time now,
                           Decisions* decisions) {
  callers_.Turn(*call.from);
  Remove(call);
  const double rate = rate_.PerSecond(now).value_or(0);
  call.charged = rate > 0 ? absl::Seconds(limit_ / rate) : absl::ZeroDuration();
  callers_.Charge(*call.from, call.charged);
  ++call.from->running;
  Enter(call, now);
  decisions->push_back({&call, absl::nullopt, {}, now - call.arrived});
}

void AdmissionQueue::Leave(WaitingCall& call, absl::Time now,
                           absl::BitGenRef chance, Decisions* decisions) {
  rate_.Departed(now);
  --running_;
  if (call.from != nullptr) {
    --call.from->running;
    callers_.Charge(*call.from, now - call.entered - call.charged);
  }
  Fill(now, chance, decisions);
  CountFull(now);
}

void AdmissionQueue::Fill(absl::Time now, absl::BitGenRef chance,
                          Decisions* decisions) {
  RefuseLate(now, chance, decisions);
  newest_first_ = newest_first_ || PastTarget(now);
  while (running_ < limit_ && !by_age_.empty()) {
    Admit(newest_first_ ? callers_.Next().Newest() : *by_age_.begin()->second,
          now, decisions);
  }
  newest_first_ = newest_first_ && !by_age_.empty();
}

bool AdmissionQueue::PastTarget(absl::Time now) const {
  if (by_age_.empty()) return false;
  if (now - by_age_.begin()->second->arrived > options_.target) return true;
  const auto rate = rate_.PerSecond(now);
  return rate.has_value() && static_cast<double>(by_age_.size()) >
                                 *rate * absl::ToDoubleSeconds(options_.target);
}

size_t AdmissionQueue::Room(absl::Time now) const {
  const double in_target =
      rate_.PerSecond(now).value_or(0) * absl::ToDoubleSeconds(options_.target);
  // At least one for each slot, so that none stands empty.
  const size_t room = std::max<size_t>(limit_, std::llround(in_target));
  return std::max<size_t>(1, room / std::max<size_t>(1, callers_.waiting()));
}

absl::Duration AdmissionQueue::ReachOf(const Caller& caller,
                                       absl::Time now) const {
  const auto rate = rate_.PerSecond(now);
  if (!rate.has_value()) return absl::ZeroDuration();  // Who knows?
  const double share = *rate / static_cast<double>(callers_.waiting());
  const double overtaking =
      static_cast<double>(caller.arrivals.Sum(Elapsed(now)));
  if (overtaking >= share) return absl::InfiniteDuration();
  return absl::Seconds(static_cast<double>(caller.waiting()) /
                       (share - overtaking));
}

void AdmissionQueue::RefuseUnreachable(Caller& caller, absl::Time now,
                                       absl::BitGenRef chance,
                                       Decisions* decisions) {
  while (caller.waiting() > Room(now) &&
         now + ReachOf(caller, now) > caller.Last().refuse_at) {
    Refuse(caller.Last(),
           callers_.waiting() > 1 ? Refusal::kOverShare : Refusal::kOverloaded,
           now, chance, decisions);
  }
}

void AdmissionQueue::RefuseLate(absl::Time now, absl::BitGenRef chance,
                                Decisions* decisions) {
  while (!by_refuse_at_.empty() && by_refuse_at_.begin()->first <= now) {
    WaitingCall& call = *by_age_.at(by_refuse_at_.begin()->second);
    Refuse(call,
           call.latest_start <= now ? Refusal::kOutOfTime
                                    : Refusal::kQueuedTooLong,
           now, chance, decisions);
  }
}

void AdmissionQueue::Refuse(WaitingCall& call, Refusal why, absl::Time now,
                            absl::BitGenRef chance, Decisions* decisions) {
  Remove(call);
  refused_.Add(1, Elapsed(now));
  const absl::Duration pushback = Pushback(now, chance);
  call.from->barred_until = std::max(call.from->barred_until, now + pushback);
  decisions->push_back({&call, why, pushback, now - call.arrived});
}

// Whoever was sent away within a second comes back, spread over as long as
// serving them all takes: no faster than they can be served.
absl::Duration AdmissionQueue::Pushback(absl::Time now,
                                        absl::BitGenRef chance) const {
  const double rate = rate_.PerSecond(now).value_or(0);
  const double backlog = static_cast<double>(by_age_.size()) +
                         static_cast<double>(refused_.Sum(Elapsed(now)));
  absl::Duration wait =
      rate > 0 ? absl::Seconds(backlog / rate) : options_.target;
  wait = std::clamp(wait, absl::Milliseconds(2), kLongestPushback);
  const int64_t ms = absl::ToInt64Milliseconds(wait);
  return absl::Milliseconds(DrawWhole(chance, ms / 2, ms + ms / 2));
}

absl::Duration AdmissionQueue::TurnAway(absl::Time now,
                                        absl::BitGenRef chance) {
  refused_.Add(1, Elapsed(now));
  return Pushback(now, chance);
}

absl::optional<absl::Duration> AdmissionQueue::RefusedAtTheDoor(
    absl::string_view name, absl::Time now, absl::BitGenRef chance) {
  if (!newest_first_) return absl::nullopt;
  Caller* caller = callers_.Known(name);
  if (caller == nullptr || now >= caller->barred_until ||
      caller->waiting() + 1 <= Room(now) ||
      // Those who wait are stale: a fresh one is worth more.
      now - caller->Last().arrived > options_.target) {
    return absl::nullopt;
  }
  caller->arrivals.Add(1, Elapsed(now));
  return TurnAway(now, chance);
}

void AdmissionQueue::Tick(absl::Time now, absl::BitGenRef chance,
                          Decisions* decisions) {
  RefuseLate(now, chance, decisions);
  newest_first_ = newest_first_ && !by_age_.empty();
}

absl::Time AdmissionQueue::WakeAt() const {
  return by_refuse_at_.empty() ? absl::InfiniteFuture()
                               : by_refuse_at_.begin()->first;
}

void AdmissionQueue::Drain(absl::Time now, absl::BitGenRef chance,
                           Decisions* decisions) {
  draining_ = true;
  while (!by_age_.empty()) {
    Refuse(*by_age_.begin()->second, Refusal::kDraining, now, chance,
           decisions);
  }
}

}  // namespace forbear
