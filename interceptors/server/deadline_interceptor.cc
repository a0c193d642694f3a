#include "interceptors/server/deadline_interceptor.h"

#include <grpc/support/log.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/interceptor.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/server/answer.h"
#include "interceptors/server/entry_check.h"
#include "interceptors/server/inbound.h"

namespace forbear {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;
using grpc::experimental::ServerRpcInfo;

class DeadlineInterceptor final : public grpc::experimental::Interceptor {
 public:
  DeadlineInterceptor(const ServerOptions& options, ServerRpcInfo* info)
      : options_(options), info_(info), method_(info->method()) {}

  // A completion queue's owner may drop a call without an answer.
  ~DeadlineInterceptor() override {
    if (scope_ != nullptr && !settled_) {
      Settle(absl::StatusCode::kCancelled, nullptr);
    }
  }

  void Intercept(InterceptorBatchMethods* batch) override {
    if (batch->QueryInterceptionHookPoint(
            InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      return Enter(batch);
    }
    if (batch->QueryInterceptionHookPoint(
            InterceptionHookPoints::POST_RECV_CLOSE)) {
      caller_gone_->store(true, std::memory_order_relaxed);
    }
    if (scope_ != nullptr && batch->QueryInterceptionHookPoint(
                                 InterceptionHookPoints::PRE_SEND_STATUS)) {
      Settle(AnswerCode(batch->GetSendStatus().error_code()),
             batch->GetSendTrailingMetadata());
    }
    batch->Proceed();
  }

 private:
  // Runs the handler, or what comes before it, within Proceed().
  void Enter(InterceptorBatchMethods* batch) {
    // A request that could not be read reaches no handler.
    if (batch->QueryInterceptionHookPoint(
            InterceptionHookPoints::POST_RECV_MESSAGE) &&
        batch->GetRecvMessage() == nullptr) {
      return batch->Proceed();
    }
    grpc::ServerContextBase& context = *info_->server_context();
    entered_ = SteadyNow();
    const absl::Time deadline = InboundDeadline(context, entered_);
    Tell(deadline - entered_);
    scope_ = ScopeOf(context, deadline);
    const CallScope::Enter inside_scope(scope_);
    batch->Proceed();  // This object may be gone when it returns.
  }

  std::shared_ptr<CallScope> ScopeOf(grpc::ServerContextBase& context,
                                     absl::Time deadline) const {
    CallScope::Inbound inbound;
    inbound.deadline = deadline;
    inbound.call = context.c_call();
    if (dynamic_cast<grpc::CallbackServerContext*>(&context) != nullptr) {
      inbound.is_cancelled = [&context] { return context.IsCancelled(); };
    } else {
      // A completion queue's handler may not be asked, and this may be one.
      inbound.is_cancelled = [gone = caller_gone_] {
        return gone->load(std::memory_order_relaxed);
      };
    }
    InboundKey key;
    for (const auto& entry : context.client_metadata()) {
      key.See({entry.first.data(), entry.first.size()},
              {entry.second.data(), entry.second.size()});
    }
    inbound.idempotency_key = key.Copy();
    return std::make_shared<CallScope>(std::move(inbound));
  }

  void Tell(absl::Duration time_left) const {
    if (options_.observer == nullptr) return;
    const auto reason = CheckEntry(time_left, options_.minimum_time_left);
    if (reason.has_value()) {
      options_.observer->HandlerRefused(
          {method_, *reason, time_left, /*enforced=*/false, {}, {}});
    }
    options_.observer->HandlerEntered({method_, time_left, {}});
  }

  void Settle(absl::StatusCode code,
              std::multimap<std::string, std::string>* trailers) {
    settled_ = true;
    const bool told_not_to_retry =
        trailers != nullptr &&
        SettleAnswer(*scope_, code, options_.mode, trailers);
    scope_->End();
    if (options_.observer == nullptr) return;
    const absl::Time now = SteadyNow();
    options_.observer->HandlerEnded(
        {method_, code, now - entered_, told_not_to_retry,
         PastDeadline(entered_, scope_->deadline(), now)});
  }

  const ServerOptions& options_;
  ServerRpcInfo* const info_;
  const std::string method_;  // A generic call's goes before this does.
  const std::shared_ptr<std::atomic<bool>> caller_gone_ =
      std::make_shared<std::atomic<bool>>(false);
  absl::Time entered_;
  std::shared_ptr<CallScope> scope_;
  bool settled_ = false;
  const InFlight counted_{InFlight::kHandler};
};

bool Valid(const ServerOptions& options) {
  const absl::Status status = options.Validate();
  if (!status.ok()) {
    gpr_log(GPR_ERROR, "forbear: %s", std::string(status.message()).c_str());
  }
  return status.ok();
}

}  // namespace

DeadlineInterceptorFactory::DeadlineInterceptorFactory(
    ServerOptions options, std::function<bool(const char* method)> left_out)
    : options_(std::move(options)),
      left_out_(std::move(left_out)),
      active_(Valid(options_) && options_.mode != Mode::kOff) {}

grpc::experimental::Interceptor*
DeadlineInterceptorFactory::CreateServerInterceptor(ServerRpcInfo* info) {
  if (!active_ || absl::StartsWith(info->method(), "/grpc.") ||
      (left_out_ != nullptr && left_out_(info->method()))) {
    return nullptr;
  }
  return new DeadlineInterceptor(options_, info);
}

}  // namespace forbear
