#include "tests/server/kinds_server.h"

#include <grpc/support/time.h>
#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "interceptors/context/call_scope.h"

namespace forbear {
namespace testing {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;
using grpc::experimental::ServerRpcInfo;

grpc::Status Stopped() {
  return grpc::Status(grpc::StatusCode::ABORTED, "stopped");
}

// A reactor of any kind that finishes at once.
template <typename Reactor>
class Finishes final : public Reactor {
 public:
  explicit Finishes(const grpc::Status& status) { this->Finish(status); }
  void OnDone() override { delete this; }
};

// One that finishes when its call is cancelled.
template <typename Reactor>
class Waits final : public Reactor {
 public:
  void OnCancel() override {
    EXPECT_TRUE(scope_->Cancelled());
    this->Finish(Stopped());
  }
  void OnDone() override { delete this; }

 private:
  const std::shared_ptr<CallScope> scope_ = CallScope::Current();
};

template <typename Reactor>
Reactor* Follow(Script* script, grpc::CallbackServerContext* context) {
  if (!script->until_cancelled) {
    return new Finishes<Reactor>(script->Run(context));
  }
  ++script->entered;
  return new Waits<Reactor>();
}

class Holds final : public grpc::experimental::Interceptor {
 public:
  explicit Holds(ServerRpcInfo* info) : info_(info) {}

  void Intercept(InterceptorBatchMethods* batch) override {
    if (batch->QueryInterceptionHookPoint(
            InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      const gpr_timespec deadline = info_->server_context()->raw_deadline();
      Await([deadline] {
        return gpr_time_cmp(gpr_now(deadline.clock_type), deadline) > 0;
      });
    }
    batch->Proceed();
  }

 private:
  ServerRpcInfo* const info_;
};

class HoldsFactory final
    : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateServerInterceptor(
      ServerRpcInfo* info) override {
    return new Holds(info);
  }
};

ServerOptions WithObserver(ServerOptions options,
                           std::shared_ptr<Observer> observer) {
  if (options.observer == nullptr) options.observer = std::move(observer);
  return options;
}

}  // namespace

std::string NameOf(Style style) {
  return style == Style::kSync ? "Sync" : "Callback";
}

std::string NameOf(Kind kind) {
  static constexpr const char* kNames[] = {"Unary", "Upload", "Download",
                                           "Chat"};
  return kNames[static_cast<int>(kind)];
}

std::string MethodOf(Kind kind) {
  return "/forbear.testing.Kinds/" + NameOf(kind);
}

grpc::Status Script::Run(grpc::ServerContextBase* context) {
  ++entered;
  if (until_cancelled) {
    const auto scope = CallScope::Current();
    Await([&scope] { return scope->Cancelled(); });
    return Stopped();
  }
  return run == nullptr ? grpc::Status::OK : run(context);
}

grpc::Status SyncKinds::Unary(grpc::ServerContext* context, const Note*,
                              Note* response) {
  response->set_text(script_.answer);
  return script_.Run(context);
}

grpc::Status SyncKinds::Upload(grpc::ServerContext* context,
                               grpc::ServerReader<Note>* reader, Note*) {
  Note note;
  while (reader->Read(&note)) {
  }
  return script_.Run(context);
}

grpc::Status SyncKinds::Download(grpc::ServerContext* context, const Note* note,
                                 grpc::ServerWriter<Note>* writer) {
  grpc::Status status = script_.Run(context);
  if (status.ok()) writer->Write(*note);
  return status;
}

grpc::Status SyncKinds::Chat(grpc::ServerContext* context,
                             grpc::ServerReaderWriter<Note, Note>* stream) {
  Note note;
  while (stream->Read(&note)) {
  }
  grpc::Status status = script_.Run(context);
  if (status.ok()) stream->Write(note);
  return status;
}

grpc::ServerUnaryReactor* CallbackKinds::Unary(
    grpc::CallbackServerContext* context, const Note*, Note* response) {
  response->set_text(script_.answer);
  return Follow<grpc::ServerUnaryReactor>(&script_, context);
}

grpc::ServerReadReactor<Note>* CallbackKinds::Upload(
    grpc::CallbackServerContext* context, Note*) {
  return Follow<grpc::ServerReadReactor<Note>>(&script_, context);
}

grpc::ServerWriteReactor<Note>* CallbackKinds::Download(
    grpc::CallbackServerContext* context, const Note*) {
  return Follow<grpc::ServerWriteReactor<Note>>(&script_, context);
}

grpc::ServerBidiReactor<Note, Note>* CallbackKinds::Chat(
    grpc::CallbackServerContext* context) {
  return Follow<grpc::ServerBidiReactor<Note, Note>>(&script_, context);
}

void Recorder::HandlerEntered(const HandlerStart& e) {
  std::lock_guard<std::mutex> lock(mutex_);
  entered_.push_back(e.time_left);
  queued_.push_back(e.queued);
}

void Recorder::HandlerRefused(const HandlerRefusal& e) {
  std::lock_guard<std::mutex> lock(mutex_);
  refused_.push_back({std::string(e.method), e.reason, e.time_left, e.enforced,
                      e.queued, e.pushback});
}

void Recorder::HandlerEnded(const HandlerFinish& e) {
  std::lock_guard<std::mutex> lock(mutex_);
  ended_.push_back({std::string(e.method), e.code, e.latency,
                    e.told_not_to_retry, e.past_deadline});
  changed_.notify_all();
}

void Recorder::ReplyReplayed(const Replay&) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++replays_;
}

int Recorder::replays() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return replays_;
}

std::vector<absl::Duration> Recorder::entered() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return entered_;
}

std::vector<absl::Duration> Recorder::queued() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return queued_;
}

std::vector<Recorder::Refused> Recorder::refused() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return refused_;
}

std::vector<Recorder::Ended> Recorder::ended() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return ended_;
}

void Recorder::AwaitEnded(size_t count) const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return ended_.size() >= count; });
}

std::vector<std::string> Reply::Trailers(absl::string_view key) const {
  std::vector<std::string> values;
  for (const auto& [name, value] : trailers) {
    if (name == key) values.push_back(value);
  }
  return values;
}

KindsServer::KindsServer(Kinds::Service* service, ServerOptions options,
                         ServerSetup setup)
    : guard_(WithObserver(std::move(options), recorder_)) {
  Start(service, std::move(setup));
}

KindsServer::KindsServer(Style style, ServerOptions options, ServerSetup setup)
    : guard_(WithObserver(std::move(options), recorder_)) {
  if (style == Style::kSync) {
    own_service_ = std::make_unique<SyncKinds>(&script_);
  } else {
    own_service_ = std::make_unique<CallbackKinds>(&script_);
  }
  Start(own_service_.get(), std::move(setup));
}

KindsServer::~KindsServer() { server_->Shutdown(); }

void KindsServer::Start(Kinds::Service* service, ServerSetup setup) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port_);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 64 * 1024);
  if (setup.prepare != nullptr) setup.prepare(builder);
  if (setup.prepare_guarded != nullptr) setup.prepare_guarded(builder, guard_);
  if (setup.guarded) {
    guard_.RegisterService<Kinds>(builder, service);
  } else {
    builder.RegisterService(service);
  }
  guard_.Install(builder, std::move(setup.interceptors));
  if (setup.before_start != nullptr) setup.before_start(guard_);
  server_ = builder.BuildAndStart();
  ASSERT_NE(server_, nullptr);
  channel_ = grpc::CreateChannel("127.0.0.1:" + std::to_string(port_),
                                 grpc::InsecureChannelCredentials());
  stub_ = Kinds::NewStub(channel_);
}

Reply KindsServer::Call(Kind kind, absl::Duration timeout) {
  grpc::ClientContext context;
  if (timeout != absl::InfiniteDuration()) {
    const timespec span = absl::ToTimespec(timeout);
    gpr_timespec deadline = gpr_now(GPR_CLOCK_MONOTONIC);
    deadline.tv_sec += span.tv_sec;  // chrono would overflow after 292 years.
    context.set_deadline(gpr_time_add(
        deadline, {0, static_cast<int32_t>(span.tv_nsec), GPR_TIMESPAN}));
  }
  return Call(kind, &context);
}

Reply KindsServer::Call(Kind kind, grpc::ClientContext* context) {
  Note note;
  note.set_text("hello");
  Reply reply;
  switch (kind) {
    case Kind::kUnary:
      reply.status = stub_->Unary(context, note, &note);
      break;
    case Kind::kUpload: {
      auto writer = stub_->Upload(context, &note);
      writer->Write(note);
      writer->WritesDone();
      reply.status = writer->Finish();
      break;
    }
    case Kind::kDownload: {
      auto reader = stub_->Download(context, note);
      while (reader->Read(&note)) {
      }
      reply.status = reader->Finish();
      break;
    }
    case Kind::kChat: {
      auto stream = stub_->Chat(context);
      stream->Write(note);
      stream->WritesDone();
      while (stream->Read(&note)) {
      }
      reply.status = stream->Finish();
      break;
    }
  }
  for (const auto& [key, value] : context->GetServerTrailingMetadata()) {
    reply.trailers.emplace(std::string(key.data(), key.size()),
                           std::string(value.data(), value.size()));
  }
  return reply;
}

ServerSetup HoldUntilExpired() {
  ServerSetup setup;
  setup.interceptors.push_back(std::make_unique<HoldsFactory>());
  return setup;
}

void Await(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::yield();
}

}  // namespace testing
}  // namespace forbear
