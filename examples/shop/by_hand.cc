#include "examples/shop/by_hand.h"

#include <algorithm>

#include "examples/shop/from_now.h"
#include "examples/shop/pause.h"
#include "interceptors/context/chance.h"
#include "interceptors/context/clock.h"
#include "interceptors/policy/backoff.h"
#include "interceptors/server/inbound.h"

namespace shop {
namespace {

constexpr int kTries = 4;

std::unique_ptr<grpc::ClientContext> ContextFor(grpc::ServerContext* inbound) {
  return inbound == nullptr ? std::make_unique<grpc::ClientContext>()
                            : grpc::ClientContext::FromServerContext(*inbound);
}

bool HasTimeFor(absl::Duration wait, grpc::ServerContext* inbound) {
  if (inbound == nullptr) return true;
  const absl::Time now = forbear::SteadyNow();
  return !inbound->IsCancelled() &&
         now + wait < forbear::InboundDeadline(*inbound, now);
}

}  // namespace

ByHand::ByHand(Manner manner, bool retries)
    : manner_(manner),
      tries_(manner < Manner::kOneLayer || retries ? kTries : 1),
      budget_(manner < Manner::kBudget
                  ? nullptr
                  : std::make_shared<forbear::RetryBudget>(
                        forbear::RetryBudgetOptions(), forbear::SteadyNow())) {}

grpc::Status ByHand::Try(
    const Call& how,
    const std::function<grpc::Status(grpc::ClientContext*, bool last)>& call) {
  grpc::ServerContext* const inbound =
      manner_ < Manner::kDeadlines ? nullptr : how.inbound;
  Begins();
  for (int tried = 1;; ++tried) {
    const auto context = ContextFor(inbound);
    context->set_deadline(FromNow(how.timeout));
    const grpc::Status status = call(context.get(), IsLast(tried));
    const absl::Duration wait = Wait(tried);
    if (status.ok() || tried >= tries_ || !HasTimeFor(wait, inbound) ||
        !MayTryAgain()) {
      return status;
    }
    Pause(wait);
  }
}

void ByHand::Begins() {
  if (budget_ != nullptr) budget_->CallStarted(forbear::SteadyNow());
}

bool ByHand::IsLast(int tried) const {
  return tried >= tries_ ||
         (budget_ != nullptr && !budget_->MaySpend(forbear::SteadyNow()));
}

bool ByHand::MayTryAgain() {
  return budget_ == nullptr || budget_->TrySpend(forbear::SteadyNow());
}

absl::Duration ByHand::Wait(int tries_made) const {
  if (manner_ < Manner::kJitter) {
    return absl::Milliseconds(10 << std::min(tries_made - 1, 16));
  }
  forbear::BackoffOptions options;
  options.initial = absl::Milliseconds(200);
  options.initial = forbear::Backoff::Ceiling(options, tries_made);
  forbear::Chance chance;
  return forbear::Backoff(options).Next(chance);
}

}  // namespace shop
