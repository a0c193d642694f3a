#include "interceptors/context/call_scope.h"

#include <cassert>
#include <utility>

#include "absl/strings/str_cat.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/derived_key.h"

namespace forbear {
namespace {

thread_local CallScope::Enter* innermost = nullptr;

uint32_t Bit(absl::StatusCode code) {
  return uint32_t{1} << (static_cast<uint32_t>(code) % 32);
}

}  // namespace

CallScope::CallScope(Inbound inbound) : inbound_(std::move(inbound)) {}

std::shared_ptr<CallScope> CallScope::Current() {
  return innermost == nullptr ? nullptr : innermost->scope_;
}

CallScope* CallScope::Here() {
  return innermost == nullptr ? nullptr : innermost->scope_.get();
}

absl::Duration CallScope::TimeLeft() const {
  return inbound_.deadline - SteadyNow();
}

bool CallScope::Cancelled() const {
  if (TimeLeft() <= absl::ZeroDuration()) return true;
  std::lock_guard<std::mutex> lock(mutex_);
  return ended_ || (inbound_.is_cancelled && inbound_.is_cancelled());
}

void CallScope::End() {
  std::lock_guard<std::mutex> lock(mutex_);
  ended_ = true;
}

bool CallScope::WithParent(
    const std::function<void(grpc_call* parent)>& use) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (ended_) return false;
  use(inbound_.call);
  return true;
}

std::string CallScope::DeriveKey(absl::string_view method,
                                 absl::string_view tag) {
  if (inbound_.idempotency_key.empty()) return "";
  if (!tag.empty()) {
    return TaggedKey(inbound_.idempotency_key, method, tag);
  }
  std::lock_guard<std::mutex> lock(mutex_);
  auto calls = calls_by_method_.find(method);
  if (calls == calls_by_method_.end()) {
    calls = calls_by_method_.emplace(method, 0).first;
  }
  return CountedKey(inbound_.idempotency_key, method, ++calls->second);
}

void CallScope::NoteGaveUp(absl::StatusCode code) { gave_up_ |= Bit(code); }

bool CallScope::GaveUpWith(absl::StatusCode code) const {
  return (gave_up_ & Bit(code)) != 0;
}

CallScope::Enter::Enter(std::shared_ptr<CallScope> scope)
    : scope_(std::move(scope)), outer_(innermost) {
  innermost = this;
}

CallScope::Enter::~Enter() {
  assert(innermost == this);
  innermost = outer_;
}

}  // namespace forbear
