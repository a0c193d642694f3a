#include "examples/routes/fault_switch.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "interceptors/context/clock.h"

namespace shop {

absl::Duration FaultSwitch::Admit(absl::Time now) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (admitted_per_second_ == 0) return absl::ZeroDuration();
  const double at_once = admitted_per_second_ / 10.0;
  free_places_ +=
      absl::ToDoubleSeconds(now - counted_at_) * admitted_per_second_;
  free_places_ = std::min(free_places_, at_once);
  counted_at_ = now;
  if (free_places_ >= 1) {
    free_places_ -= 1;
    return absl::ZeroDuration();
  }
  promised_until_ =
      std::max(promised_until_, now) + absl::Seconds(1) / admitted_per_second_;
  return promised_until_ - now;
}

grpc::Status FaultSwitch::SetFault(grpc::ServerContext*,
                                   const SetFaultRequest* request,
                                   SetFaultReply* reply) {
  if (request->admitted_per_second() < 0) {
    return grpc::Status(
        grpc::StatusCode::INVALID_ARGUMENT,
        absl::StrCat("SetFaultRequest.admitted_per_second ",
                     request->admitted_per_second(),
                     ": it takes a number from 1 up, or 0 for no limit"));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  fault_ = request->fault();
  admitted_per_second_ = request->admitted_per_second();
  free_places_ = admitted_per_second_ / 10.0;
  counted_at_ = forbear::SteadyNow();
  promised_until_ = absl::InfinitePast();
  *reply->mutable_counts() = tally_->counts();
  return grpc::Status::OK;
}

}  // namespace shop
