#include "interceptors/client/front_channel.h"

#include <algorithm>
#include <utility>

#include "interceptors/client/call_options.h"
#include "interceptors/client/direct_call.h"
#include "interceptors/client/grpc_inside.h"
#include "interceptors/client/grpc_time.h"
#include "interceptors/client/parent.h"
#include "interceptors/client/stream_call.h"
#include "interceptors/client/stub_style.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/clock.h"
#include "interceptors/policy/wire_timeout.h"

namespace forbear {

using grpc::internal::Call;
using grpc::internal::RpcMethod;

// A stub's method, registered with the core under each of its possible kinds.
struct FrontChannel::Registered {
  Registered(const NamedMethod* found,
             const std::shared_ptr<grpc::Channel>& channel)
      : method(found),
        by_kind{{found->name.c_str(), RpcMethod::NORMAL_RPC, channel},
                {found->name.c_str(), RpcMethod::CLIENT_STREAMING, channel},
                {found->name.c_str(), RpcMethod::SERVER_STREAMING, channel},
                {found->name.c_str(), RpcMethod::BIDI_STREAMING, channel}} {}
  const NamedMethod* const method;
  const RpcMethod by_kind[4];
};

FrontChannel::FrontChannel(std::shared_ptr<grpc::Channel> channel,
                           std::shared_ptr<ClientCore> core, bool direct)
    : channel_(std::move(channel)), core_(std::move(core)), direct_(direct) {}

FrontChannel::~FrontChannel() = default;

Call FrontChannel::CreateCall(const RpcMethod& method,
                              grpc::ClientContext* context,
                              grpc::CompletionQueue* cq) {
  const auto* const registered =
      static_cast<const Registered*>(method.channel_tag());
  // Generic stubs register nothing, and name their method on every call.
  InUse<Method> found =
      (registered != nullptr ? registered->method : core_->Find(method.name()))
          ->Take();
  const RpcMethod& rpc = registered != nullptr
                             ? registered->by_kind[method.method_type()]
                             : method;
  const MethodPolicy& policy = *found->policy;
  // Read when the call's first batch is made, so it stays on the context.
  if (policy.wait_for_ready.has_value() && policy.mode == Mode::kEnforce &&
      !inside::Friend::WaitForReadySet(*context)) {
    context->set_wait_for_ready(*policy.wait_for_ready);
  }
  const CallOptions* const options = CallOptions::Of(context);
  if (options != nullptr) {
    // Whatever the mode, and the kind of call: it is the caller's own word.
    options->SetKey(&inside::Friend::SentMetadata(*context));
  }
  const StubStyle style(/*is_generic=*/registered == nullptr);
  if (direct_ && policy.mode != Mode::kOff) {
    const auto create = method.method_type() == RpcMethod::NORMAL_RPC
                            ? &DirectCall::Create
                            : &StreamCall::Create;
    return create(channel_, core_, std::move(found), rpc, context, cq,
                  cq == callback_cq_.load());
  }
  return CreatePlain(*found, rpc, context, cq);
}

Call FrontChannel::CreatePlain(const Method& method, const RpcMethod& rpc,
                               grpc::ClientContext* context,
                               grpc::CompletionQueue* cq) {
  const CallScope* const scope = CallScope::Here();
  if (scope == nullptr) {
    return inside::Friend::CreateCall(*channel_, rpc, context, cq);
  }
  const Parent parent = Parent::Of(*context);
  const absl::Time now = SteadyNow();
  const gpr_timespec deadline = context->raw_deadline();
  const absl::Duration left =
      std::min(FromGrpc(deadline, now),
               scope->deadline() - method.policy->reserve) -
      now;
  if (left != absl::InfiniteDuration()) {
    context->set_deadline(AfterNow(RoundDownToWire(left), now));
  }
  const Call made = inside::Friend::CreateCall(*channel_, rpc, context, cq);
  context->set_deadline(deadline);
  return made;
}

void FrontChannel::PerformOpsOnCall(grpc::internal::CallOpSetInterface* ops,
                                    Call* call) {
  inside::Friend::PerformOps(*channel_, ops, call);
}

void* FrontChannel::RegisterMethod(const char* method) {
  const NamedMethod* const found = core_->Find(method);
  std::lock_guard<std::mutex> lock(mutex_);
  for (Registered& known : registered_) {
    if (known.method == found) return &known;
  }
  return &registered_.emplace_back(found, channel_);
}

grpc_connectivity_state FrontChannel::GetState(bool try_to_connect) {
  return channel_->GetState(try_to_connect);
}

void FrontChannel::NotifyOnStateChangeImpl(
    grpc_connectivity_state last_observed, gpr_timespec deadline,
    grpc::CompletionQueue* cq, void* tag) {
  inside::Friend::NotifyOnStateChange(*channel_, last_observed, deadline, cq,
                                      tag);
}

bool FrontChannel::WaitForStateChangeImpl(grpc_connectivity_state last_observed,
                                          gpr_timespec deadline) {
  return inside::Friend::WaitForStateChange(*channel_, last_observed, deadline);
}

grpc::CompletionQueue* FrontChannel::CallbackCQ() {
  grpc::CompletionQueue* const cq = inside::Friend::CallbackCQ(*channel_);
  callback_cq_.store(cq);
  return cq;
}

}  // namespace forbear
