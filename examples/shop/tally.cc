#include "examples/shop/tally.h"

#include "absl/time/time.h"
#include "examples/shop/proto_time.h"
#include "interceptors/context/clock.h"

namespace shop {

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

void Tally::Entered(const Order& order) {
  const absl::Time now = forbear::SteadyNow();
  std::lock_guard<std::mutex> lock(mutex_);
  Arrived(now);
  if (order.has_expires() && now > FromProto(order.expires())) {
    counts_.set_entered_late(counts_.entered_late() + 1);
  }
}

void Tally::Arrived(absl::Time now) {
  counts_.set_arrived(counts_.arrived() + 1);
  const absl::Duration tenth = absl::Milliseconds(100);
  if (!counts_.has_first_tenth()) {
    ToProto(absl::UnixEpoch() + absl::Floor(now - absl::UnixEpoch(), tenth),
            counts_.mutable_first_tenth());
  }
  absl::Duration rest;
  const int at = static_cast<int>(
      absl::IDivDuration(now - FromProto(counts_.first_tenth()), tenth, &rest));
  while (counts_.arrived_by_tenth_size() <= at) counts_.add_arrived_by_tenth(0);
  counts_.set_arrived_by_tenth(at, counts_.arrived_by_tenth(at) + 1);
}

Counts Tally::counts() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

grpc::Status Tally::Read(grpc::ServerContext*, const google::protobuf::Empty*,
                         Counts* counts) {
  *counts = this->counts();
  return grpc::Status::OK;
}

}  // namespace shop
