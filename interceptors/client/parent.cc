#include "interceptors/client/parent.h"

#include <atomic>
#include <utility>

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/client_callback.h>

#include "interceptors/client/grpc_inside.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/in_flight.h"

namespace forbear {

Parent::Parent(const Parent& other)
    : call_(other.call_), propagation_(other.propagation_) {
  if (call_ != nullptr) grpc_call_ref(call_);
}

Parent::~Parent() {
  if (call_ != nullptr) grpc_call_unref(call_);
}

Parent Parent::Of(grpc::ClientContext& context) {
  Parent parent;
  parent.call_ = inside::Friend::Parent(context);
  if (parent.call_ != nullptr) {
    parent.propagation_ = inside::Friend::Propagation(context);
    grpc_call_ref(parent.call_);
    return parent;
  }
  const CallScope* scope = CallScope::Here();
  if (scope == nullptr) return parent;
  const bool alive = scope->WithParent([&parent](grpc_call* call) {
    parent.call_ = call;
    if (call != nullptr) grpc_call_ref(call);
  });
  if (!alive) context.TryCancel();
  parent.Adopt(&context);
  return parent;
}

void Parent::Adopt(grpc::ClientContext* context) const {
  if (call_ != nullptr) {
    inside::Friend::SetParent(*context, call_, propagation_);
  }
}

// Lives until gRPC is done with it: it holds itself.
class ParentWatch::Call final
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Call(std::shared_ptr<grpc::ChannelInterface> channel,
       const std::string& method, const Parent& parent,
       std::function<void()> gone)
      : stub_(std::move(channel)), method_(method), gone_(std::move(gone)) {
    parent.Adopt(&context_);
    // A corked call sends its headers with its first message: never, here.
    context_.set_initial_metadata_corked(true);
  }

  void Start(std::shared_ptr<Call> self) {
    self_ = std::move(self);
    stub_.PrepareBidiStreamingCall(&context_, method_, {}, this);
    StartCall();
  }

  void Stop() {
    stopped_.store(true, std::memory_order_release);
    context_.TryCancel();
  }

  void OnDone(const grpc::Status&) override {
    const std::shared_ptr<Call> self = std::move(self_);
    if (!stopped_.load(std::memory_order_acquire)) gone_();
    gone_ = nullptr;
  }

 private:
  const InFlight counted_{InFlight::kAlarm};
  grpc::GenericStub stub_;
  const std::string method_;
  std::function<void()> gone_;
  std::atomic<bool> stopped_{false};
  grpc::ClientContext context_;
  std::shared_ptr<Call> self_;
};

ParentWatch::ParentWatch(std::shared_ptr<grpc::ChannelInterface> channel,
                         const std::string& method, const Parent& parent,
                         std::function<void()> gone)
    : call_(std::make_shared<Call>(std::move(channel), method, parent,
                                   std::move(gone))) {
  call_->Start(call_);
}

ParentWatch::~ParentWatch() { call_->Stop(); }

}  // namespace forbear
