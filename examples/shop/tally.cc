#include "examples/shop/tally.h"

#include <algorithm>

#include "absl/time/time.h"
#include "examples/shop/proto_time.h"
#include "interceptors/context/clock.h"

namespace shop {
namespace {

constexpr absl::Duration kTenth = absl::Milliseconds(100);

absl::Time StartOfTenth(absl::Time instant) {
  return absl::UnixEpoch() + absl::Floor(instant - absl::UnixEpoch(), kTenth);
}

// That in which `instant` lies, which is not before the first.
Tenth* TenthOf(absl::Time instant, Counts* counts) {
  if (!counts->has_first_tenth()) {
    ToProto(StartOfTenth(instant), counts->mutable_first_tenth());
  }
  absl::Duration rest;
  const auto tenths = absl::IDivDuration(
      instant - FromProto(counts->first_tenth()), kTenth, &rest);
  // Another thread may have been earlier, and later in saying so.
  const int at = std::max(static_cast<int>(tenths), 0);
  while (counts->tenths_size() <= at) counts->add_tenths();
  return counts->mutable_tenths(at);
}

void AddTo(google::protobuf::Duration* sum, absl::Duration more) {
  ToProto(FromProto(*sum) + more, sum);
}

// Nobody waited for what was done within this time.
void AddWasted(absl::Time from, absl::Time until, Counts* counts) {
  if (from >= until) return;
  AddTo(counts->mutable_wasted(), until - from);
  while (from < until) {
    const absl::Time next = std::min(StartOfTenth(from) + kTenth, until);
    AddTo(TenthOf(from, counts)->mutable_wasted(), next - from);
    from = next;
  }
}

}  // namespace

class Tally::Refusals final : public forbear::Observer {
 public:
  explicit Refusals(Tally* tally) : tally_(tally) {}
  void HandlerRefused(const HandlerRefusal&) override {
    std::lock_guard<std::mutex> lock(tally_->mutex_);
    tally_->Arrived(forbear::SteadyNow());
  }

 private:
  Tally* const tally_;
};

std::shared_ptr<forbear::Observer> Tally::observer() {
  return std::make_shared<Refusals>(this);
}

Tally::Visit::Visit(Tally* tally, const Order& order, const char* handler)
    : tally_(tally),
      order_id_(order.id()),
      sampled_(order.sampled()),
      handler_(handler),
      from_(forbear::SteadyNow()),
      expires_(order.has_expires() ? FromProto(order.expires())
                                   : absl::InfiniteFuture()) {
  std::lock_guard<std::mutex> lock(tally_->mutex_);
  tally_->Arrived(from_);
  tally_->open_.insert(this);
  if (from_ > expires_) {
    tally_->counts_.set_entered_late(tally_->counts_.entered_late() + 1);
  }
}

grpc::Status Tally::Visit::Ends(grpc::Status status) {
  std::lock_guard<std::mutex> lock(tally_->mutex_);
  code_ = status.error_code();
  return status;
}

Tally::Visit::~Visit() {
  const absl::Time now = forbear::SteadyNow();
  std::lock_guard<std::mutex> lock(tally_->mutex_);
  tally_->open_.erase(this);
  AddWasted(std::max(from_, expires_), now, &tally_->counts_);
  Keep(now, &tally_->counts_);
}

void Tally::Visit::Keep(absl::Time until, Counts* counts) const {
  if (!sampled_) return;
  shop::Visit& kept = *counts->add_visits();
  kept.set_order_id(order_id_);
  kept.set_handler(handler_);
  kept.set_code(code_);
  ToProto(from_, kept.mutable_from());
  ToProto(until, kept.mutable_until());
}

void Tally::Arrived(absl::Time now) {
  counts_.set_arrived(counts_.arrived() + 1);
  Tenth* const tenth = TenthOf(now, &counts_);
  tenth->set_arrived(tenth->arrived() + 1);
  if (budget_ == nullptr) return;
  tenth->set_has_budget(true);
  tenth->set_budget_balance(budget_->Balance(now));
}

Counts Tally::counts() const {
  const absl::Time now = forbear::SteadyNow();
  std::lock_guard<std::mutex> lock(mutex_);
  Counts counts = counts_;
  for (const Visit* visit : open_) {
    AddWasted(std::max(visit->from_, visit->expires_), now, &counts);
    visit->Keep(now, &counts);
  }
  return counts;
}

grpc::Status Tally::Read(grpc::ServerContext*, const google::protobuf::Empty*,
                         Counts* counts) {
  *counts = this->counts();
  return grpc::Status::OK;
}

}  // namespace shop
