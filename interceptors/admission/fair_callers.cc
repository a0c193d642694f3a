#include "interceptors/admission/fair_callers.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace forbear {

WaitingCall& Caller::Newest() const {
  const auto [urgency, repeat, oldest] = calls_.begin()->first;
  const uint64_t after = std::numeric_limits<uint64_t>::max();
  return *std::prev(calls_.upper_bound({urgency, repeat, after}))->second;
}

WaitingCall& Caller::Last() const {
  const auto [urgency, repeat, newest] = calls_.rbegin()->first;
  return *calls_.lower_bound({urgency, repeat, 0})->second;
}

Caller* FairCallers::Known(absl::string_view name) {
  const auto found = callers_.find(name);
  return found == callers_.end() ? nullptr : found->second.get();
}

Caller& FairCallers::Find(absl::string_view name, absl::Time now) {
  if (Caller* known = Known(name)) return *known;
  if (callers_.size() >= kMostCallers) Forget(now);
  if (callers_.size() >= kMostCallers) return crowd_;
  auto& caller = callers_[std::string(name)];
  caller = std::make_unique<Caller>();
  caller->number_ = ++numbers_;
  return *caller;
}

void FairCallers::Forget(absl::Time now) {
  absl::erase_if(callers_, [&](const auto& entry) {
    const Caller& caller = *entry.second;
    return caller.waiting() == 0 && caller.running == 0 &&
           caller.barred_until <= now && caller.given_ <= given_;
  });
}

void FairCallers::Add(Caller& caller, WaitingCall& call) {
  if (caller.waiting() == 0) {
    caller.given_ = std::max(caller.given_, given_);
    active_.emplace(KeyOf(caller), &caller);
  }
  caller.calls_.emplace(Caller::PlaceOf(call), &call);
}

void FairCallers::Remove(Caller& caller, WaitingCall& call) {
  caller.calls_.erase(Caller::PlaceOf(call));
  if (caller.waiting() == 0) active_.erase(KeyOf(caller));
}

Caller& FairCallers::Longest() const {
  const auto longest = std::max_element(
      active_.begin(), active_.end(), [](const auto& a, const auto& b) {
        return a.second->waiting() < b.second->waiting();
      });
  return *longest->second;
}

void FairCallers::Turn(const Caller& caller) {
  given_ = std::max(given_, caller.given_);
}

void FairCallers::Charge(Caller& caller, absl::Duration time) {
  const bool active = caller.waiting() > 0;
  if (active) active_.erase(KeyOf(caller));
  caller.given_ += time;
  if (active) active_.emplace(KeyOf(caller), &caller);
}

}  // namespace forbear
