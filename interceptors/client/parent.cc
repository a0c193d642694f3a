#include "interceptors/client/parent.h"

#include <utility>

#include "interceptors/client/context_view.h"
#include "interceptors/client/grpc_time.h"
#include "interceptors/context/call_scope.h"

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
  parent.call_ = ContextView::Parent(context);
  if (parent.call_ != nullptr) {
    parent.propagation_ = ContextView::Propagation(context);
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
    ContextView::SetParent(*context, call_, propagation_);
  }
}

ParentWatch* ParentWatch::Start(std::shared_ptr<grpc::ChannelInterface> channel,
                                const std::string& method, const Parent& parent,
                                Done done) {
  auto* const watch = new ParentWatch(parent, std::move(done));
  grpc::GenericStub(std::move(channel))
      .PrepareBidiStreamingCall(&watch->context_, method, {}, watch);
  watch->StartCall();
  return watch;
}

ParentWatch::ParentWatch(const Parent& parent, Done done)
    : done_(std::move(done)) {
  parent.Adopt(&context_);
  // A corked call sends its headers with its first message: never, here.
  context_.set_initial_metadata_corked(true);
}

void ParentWatch::OnDone(const grpc::Status&) {
  const Done done = std::move(done_);  // May destroy this.
  done(std::unique_ptr<ParentWatch>(this));
}

ParentWait::ParentWait(std::shared_ptr<grpc::ChannelInterface> channel,
                       const std::string& method, const Parent& parent) {
  parent.Adopt(&context_);
  context_.set_initial_metadata_corked(true);
  call_ = grpc::GenericStub(std::move(channel))
              .PrepareCall(&context_, method, &queue_);
  call_->StartCall(nullptr);
  call_->Finish(&status_, this);
}

bool ParentWait::Until(absl::Time wake_at) {
  void* tag;
  bool ok;
  ended_ = queue_.AsyncNext(&tag, &ok, ToGrpc(wake_at)) ==
           grpc::CompletionQueue::GOT_EVENT;
  return !ended_;
}

ParentWait::~ParentWait() {
  void* tag;
  bool ok;
  if (!ended_) {
    context_.TryCancel();
    queue_.Next(&tag, &ok);
  }
  queue_.Shutdown();
  while (queue_.Next(&tag, &ok)) {
  }
}

}  // namespace forbear
