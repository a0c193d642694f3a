#include "interceptors/client/hijacked_stream.h"

#include <google/protobuf/message_lite.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <utility>

#include "interceptors/client/elsewhere.h"
#include "interceptors/client/grpc_time.h"
#include "interceptors/client/not_applied.h"
#include "interceptors/context/clock.h"

namespace forbear {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;

namespace {

bool Has(InterceptorBatchMethods* methods, InterceptionHookPoints point) {
  return methods->QueryInterceptionHookPoint(point);
}

bool Receives(InterceptorBatchMethods* methods) {
  return Has(methods, InterceptionHookPoints::PRE_RECV_INITIAL_METADATA) ||
         Has(methods, InterceptionHookPoints::PRE_RECV_MESSAGE) ||
         Has(methods, InterceptionHookPoints::PRE_RECV_STATUS);
}

}  // namespace

class HijackedStream::Handle final : public Interceptor {
 public:
  explicit Handle(HijackedStream* stream) : stream_(stream) {}
  ~Handle() override { stream_->Abandon(); }
  void Intercept(InterceptorBatchMethods* methods) override {
    stream_->Intercept(methods);
  }

 private:
  HijackedStream* const stream_;
};

Interceptor* HijackedStream::Make(std::shared_ptr<ClientCore> core,
                                  InUse<Method> method,
                                  grpc::ClientContext* context, Kind kind,
                                  bool generic) {
  return new Handle(new HijackedStream(std::move(core), std::move(method),
                                       context, kind, generic));
}

HijackedStream::HijackedStream(std::shared_ptr<ClientCore> core,
                               InUse<Method> method,
                               grpc::ClientContext* context, Kind kind,
                               bool generic)
    : core_(std::move(core)),
      method_(std::move(method)),
      context_(context),
      kind_(kind),
      generic_(generic),
      parent_(Parent::Of(*context)),
      options_(CallOptions::CopyOf(context)),
      sent_(method_->policy->replay_buffer) {}

void HijackedStream::Intercept(Methods* methods) {
  if (Has(methods, InterceptionHookPoints::PRE_SEND_CANCEL)) {
    Cancel();
    return;
  }
  Afterwards afterwards;
  bool first = false;
  bool held = true;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const bool waits = TakeSends(methods, &afterwards);
    // Corked callback streams read before they send: whatever comes first.
    first = !std::exchange(hijacked_, true);
    // A first batch that sends a message is let go at once: only one is.
    if (waits && !first) {
      held_.push_back({methods, true, sent_.end()});
    } else if (!first && Receives(methods)) {
      held_.push_back({methods, false, 0});
    } else {
      held = false;
    }
    if (held) Serve(&afterwards);
  }
  afterwards.Run();
  if (first) {
    methods->Hijack();  // Comes back at once, with what the batch receives.
  } else if (!held) {
    methods->Proceed();
  }
}

bool HijackedStream::TakeSends(Methods* methods, Afterwards* afterwards) {
  bool fits = true;
  const bool message = Has(methods, InterceptionHookPoints::PRE_SEND_MESSAGE);
  const bool close = Has(methods, InterceptionHookPoints::PRE_SEND_CLOSE);
  if (message) {
    fits = sent_.Add(*methods->GetSerializedSendMessage(), {});
  }
  if (close) sent_.Close();
  // The hook point comes again with each write.
  if (!call_.has_value() &&
      Has(methods, InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
    Begin(methods, afterwards);
  }
  if ((message || close) && retries_.has_value()) {
    retries_->Appended(fits, afterwards);
  }
  return message;
}

void HijackedStream::Begin(Methods* methods, Afterwards* afterwards) {
  auto* const metadata = methods->GetSendInitialMetadata();
  call_.emplace(core_, method_, parent_, metadata, std::move(options_));
  StreamRetries::Source source{&*call_, methods->GetInterceptedChannel(),
                               CallTemplate::Of(*context_, *metadata), &sent_,
                               kind_ == Kind::CLIENT_STREAMING};
  const MethodPolicy& policy = call_->policy();
  if (policy.wait_for_ready.has_value() && policy.mode == Mode::kEnforce &&
      !source.context.wait_for_ready_set) {
    source.context.wait_for_ready_set = true;
    source.context.wait_for_ready = *policy.wait_for_ready;
  }
  retries_.emplace(static_cast<StreamRetries::Relay*>(this), &mutex_,
                   &under_way_, std::move(source));
  if (cancelled_) retries_->Cancel();
  if (kind_ != Kind::SERVER_STREAMING) call_->DoNotHedge();
  const absl::Time now = SteadyNow();
  const Step step = call_->Start(now, FromGrpc(context_->raw_deadline(), now));
  retries_->Begin(step,
                  step.finished ? call_->UnsentStatus() : grpc::Status::OK,
                  afterwards);
}

void HijackedStream::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (retries_.has_value()) retries_->Cancel();
}

void HijackedStream::Abandon() {
  std::unique_lock<std::mutex> lock(mutex_);
  under_way_.abandoned = true;
  if (retries_.has_value()) retries_->Cancel();
  const bool idle = under_way_.Idle();
  lock.unlock();
  if (idle) delete this;
}

void HijackedStream::Idle() {
  RunElsewhere([this] { delete this; });
}

void HijackedStream::Serve(Afterwards* afterwards) {
  std::vector<Held> waiting;
  std::vector<Held> answered;
  for (const Held& held : held_) {
    (CanAnswer(held) ? answered : waiting).push_back(held);
  }
  held_.swap(waiting);
  for (const Held& held : answered) {
    Answer(held, afterwards);
    afterwards->AddLast([methods = held.methods] { methods->Proceed(); });
  }
}

bool HijackedStream::CanAnswer(const Held& held) {
  if (!retries_.has_value()) return false;
  if (retries_->over()) return true;
  if (held.sends) return retries_->sent() >= held.messages_after;
  Methods* const methods = held.methods;
  if (Has(methods, InterceptionHookPoints::PRE_RECV_STATUS)) return false;
  if (Has(methods, InterceptionHookPoints::PRE_RECV_MESSAGE)) {
    return retries_->has_message();
  }
  retries_->ShowHeaders();
  return retries_->has_headers();
}

void HijackedStream::Answer(const Held& held, Afterwards* afterwards) {
  Methods* const methods = held.methods;
  if (held.sends) {
    if (retries_->sent() < held.messages_after) {
      methods->FailHijackedSendMessage();
    }
    return;
  }
  grpc::ClientContext* const last = retries_->context();
  if (last != nullptr &&
      Has(methods, InterceptionHookPoints::PRE_RECV_INITIAL_METADATA)) {
    *methods->GetRecvInitialMetadata() = last->GetServerInitialMetadata();
  }
  if (Has(methods, InterceptionHookPoints::PRE_RECV_MESSAGE)) {
    AnswerMessage(methods, afterwards);
  }
  if (Has(methods, InterceptionHookPoints::PRE_RECV_STATUS)) {
    *methods->GetRecvStatus() = retries_->status();
    auto& trailers = *methods->GetRecvTrailingMetadata();
    if (last != nullptr) trailers = last->GetServerTrailingMetadata();
    if (!retries_->status().ok()) {
      SetNotApplied(call_->not_applied(), &trailers);
    }
  }
}

void HijackedStream::AnswerMessage(Methods* methods, Afterwards* afterwards) {
  const bool failed = Has(methods, InterceptionHookPoints::PRE_RECV_STATUS) &&
                      !retries_->status().ok();
  if (failed || !retries_->has_message()) {
    methods->FailHijackedRecvMessage();
    return;
  }
  grpc::ByteBuffer bytes;
  retries_->TakeMessage(&bytes, afterwards);
  void* const message = methods->GetRecvMessage();
  if (generic_) {
    static_cast<grpc::ByteBuffer*>(message)->Swap(&bytes);
    return;
  }
  using Proto = google::protobuf::MessageLite;
  const grpc::Status parsed = grpc::SerializationTraits<Proto>::Deserialize(
      &bytes, static_cast<Proto*>(message));
  if (!parsed.ok()) methods->FailHijackedRecvMessage();
}

}  // namespace forbear
