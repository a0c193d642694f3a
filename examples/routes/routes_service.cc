#include "examples/routes/routes_service.h"

#include "absl/time/time.h"
#include "examples/shop/proto_time.h"

namespace shop {
namespace {

// Waits for its caller to give up.
class Hangs final : public grpc::ServerUnaryReactor {
  void OnCancel() override {
    Finish(grpc::Status(grpc::StatusCode::CANCELLED, "The caller gave up"));
  }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerUnaryReactor* RoutesService::Estimate(
    grpc::CallbackServerContext* context, const EstimateRequest* request,
    EstimateReply* reply) {
  tally_->Entered(request->order());
  const Fault fault = faults_->fault();
  if (fault == FAULT_HANGING) return new Hangs;

  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  if (fault == FAULT_FAILING) {
    reactor->Finish(
        grpc::Status(grpc::StatusCode::UNAVAILABLE, "The map is not loaded"));
  } else {
    ToProto(absl::Minutes(20 + request->order().id() % 10),
            reply->mutable_time());
    reactor->Finish(grpc::Status::OK);
  }
  return reactor;
}

}  // namespace shop
