#include "interceptors/admission/fair_callers.h"

#include <algorithm>

namespace forbear {

WaitingCall& Caller::Newest() const {
  const BySequence& calls = firsts_.empty() ? repeats_ : firsts_;
  return *calls.rbegin()->second;
}

WaitingCall& Caller::Last() const {
  const BySequence& calls = repeats_.empty() ? firsts_ : repeats_;
  return *calls.begin()->second;
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
  (call.repeat ? caller.repeats_ : caller.firsts_)
      .emplace(call.sequence, &call);
}

void FairCallers::Remove(Caller& caller, WaitingCall& call) {
  (call.repeat ? caller.repeats_ : caller.firsts_).erase(call.sequence);
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
