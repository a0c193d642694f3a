#include "examples/routes/routes_service.h"

#include <grpcpp/alarm.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "examples/shop/from_now.h"
#include "examples/shop/proto_time.h"
#include "interceptors/context/clock.h"
#include "interceptors/policy/pushback.h"

namespace shop {
namespace {

// While routes is slow: what an answer takes, and what one in so many takes.
constexpr absl::Duration kUsual = absl::Milliseconds(30);
constexpr absl::Duration kSlow = absl::Milliseconds(1'200);
constexpr int kSlowOneIn = 25;

// Answers at once, or later, or when its caller gives up.
class Answer final : public grpc::ServerUnaryReactor {
 public:
  Answer(Tally* tally, const Order& order) : visit_(tally, order, "estimate") {}

  void Now(const grpc::Status& status) { Finish(visit_.Ends(status)); }
  void After(absl::Duration wait) {
    waits_ = true;
    alarm_.Set(FromNow(wait), [this](bool in_full) {
      Now(in_full ? grpc::Status::OK : CallerGaveUp());
    });
  }
  void Never() { hangs_ = true; }

 private:
  static grpc::Status CallerGaveUp() {
    return grpc::Status(grpc::StatusCode::CANCELLED, "The caller gave up");
  }

  // Not before the handler has returned.
  void OnCancel() override {
    if (waits_) alarm_.Cancel();
    if (hangs_) Now(CallerGaveUp());
  }
  void OnDone() override { delete this; }

  Tally::Visit visit_;
  bool waits_ = false;
  bool hangs_ = false;
  grpc::Alarm alarm_;
};

grpc::Status ComeBack(grpc::CallbackServerContext* context,
                      absl::Duration wait) {
  context->AddTrailingMetadata(
      std::string(forbear::kPushbackKey),
      absl::StrCat(absl::ToInt64Milliseconds(wait) + 1));
  return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                      "So many cannot be answered yet");
}

}  // namespace

grpc::ServerUnaryReactor* RoutesService::Estimate(
    grpc::CallbackServerContext* context, const EstimateRequest* request,
    EstimateReply* reply) {
  auto* const answer = new Answer(tally_, request->order());
  const Fault fault = faults_->fault();
  if (fault == FAULT_HANGING) {
    answer->Never();
    return answer;
  }
  if (fault == FAULT_FAILING) {
    answer->Now(
        grpc::Status(grpc::StatusCode::UNAVAILABLE, "The map is not loaded"));
    return answer;
  }
  const absl::Duration wait = faults_->Admit(forbear::SteadyNow());
  if (wait > absl::ZeroDuration()) {
    answer->Now(ComeBack(context, wait));
    return answer;
  }
  ToProto(absl::Minutes(20 + request->order().id() % 10),
          reply->mutable_time());
  if (fault == FAULT_SLOW) {
    answer->After(++slowed_ % kSlowOneIn == 0 ? kSlow : kUsual);
  } else {
    answer->Now(grpc::Status::OK);
  }
  return answer;
}

}  // namespace shop
