#include "tests/benchmarks/echo.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/client_interceptor.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interceptors/client/channel.h"

namespace forbear {
namespace benchmarks {
namespace {

using testing::Ask;
using testing::Kinds;
using testing::Note;
using testing::Probe;
using testing::Reply;

constexpr int kPipelined = 16;

class DoesNothing final : public grpc::experimental::Interceptor {
  void Intercept(
      grpc::experimental::InterceptorBatchMethods* methods) override {
    methods->Proceed();
  }
};

class DoesNothingFactory final
    : public grpc::experimental::ClientInterceptorFactoryInterface {
  grpc::experimental::Interceptor* CreateClientInterceptor(
      grpc::experimental::ClientRpcInfo*) override {
    return new DoesNothing;
  }
};

constexpr char kRetryPolicy[] = R"({"methodConfig": [{
  "name": [{}],
  "retryPolicy": {
    "maxAttempts": 4,
    "initialBackoff": "0.1s",
    "maxBackoff": "10s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"]
  }
}]})";

void EndIfFailed(const grpc::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "a call failed: %s\n", status.error_message().c_str());
  std::exit(1);
}

// Keeps kPipelined calls of a callback stub going until all are made.
class Pipeline {
 public:
  Pipeline(Probe::Stub& stub, int calls, int bytes)
      : stub_(stub), to_start_(calls), to_end_(calls) {
    ask_.set_text(std::string(bytes, 'x'));
  }

  void Run() {
    for (int i = 0; i < kPipelined; ++i) Next();
    std::unique_lock<std::mutex> lock(mutex_);
    ended_.wait(lock, [this] { return to_end_ == 0; });
  }

 private:
  struct Call {
    grpc::ClientContext context;
    Reply reply;
  };

  void Next() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (to_start_ == 0) return;
      --to_start_;
    }
    auto* const call = new Call;
    stub_.async()->Read(&call->context, &ask_, &call->reply,
                        [this, call](const grpc::Status& status) {
                          EndIfFailed(status);
                          delete call;
                          Next();
                          std::lock_guard<std::mutex> lock(mutex_);
                          if (--to_end_ == 0) ended_.notify_all();
                        });
  }

  Probe::Stub& stub_;
  Ask ask_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int to_start_;
  int to_end_;
};

// The same with a completion queue.
void MakeQueuedCalls(Probe::Stub& stub, int calls, int bytes) {
  struct Call {
    grpc::ClientContext context;
    Reply reply;
    grpc::Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> reader;
  };
  Ask ask;
  ask.set_text(std::string(bytes, 'x'));
  grpc::CompletionQueue queue;
  int to_start = calls;
  const auto next = [&] {
    if (to_start-- <= 0) return;
    auto* const call = new Call;
    call->reader = stub.AsyncRead(&call->context, ask, &queue);
    call->reader->Finish(&call->reply, &call->status, call);
  };
  for (int i = 0; i < kPipelined; ++i) next();
  for (int ended = 0; ended < calls; ++ended) {
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    auto* const call = static_cast<Call*>(tag);
    EndIfFailed(call->status);
    delete call;
    next();
  }
  queue.Shutdown();
}

void Chat(Kinds::Stub& stub, int messages, int bytes) {
  grpc::ClientContext context;
  const auto stream = stub.Chat(&context);
  Note note;
  note.set_text(std::string(bytes, 'x'));
  for (int i = 0; i < messages; ++i) {
    Note echo;
    if (!stream->Write(note) || !stream->Read(&echo)) break;
  }
  stream->WritesDone();
  EndIfFailed(stream->Finish());
}

}  // namespace

const char* VariantName(Variant variant) {
  switch (variant) {
    case Variant::kPlain:
      return "plain";
    case Variant::kInterceptor:
      return "interceptor";
    case Variant::kCoreRetry:
      return "core_retry";
    case Variant::kTakeOver:
      return "take_over";
    case Variant::kForbear:
      return "forbear";
  }
  return "";
}

const char* StyleName(Style style) {
  switch (style) {
    case Style::kSync:
      return "sync";
    case Style::kCallback:
      return "callback";
    case Style::kQueue:
      return "cq";
    case Style::kStream:
      return "stream";
  }
  return "";
}

class Echo::Service final : public Probe::CallbackService {
 public:
  void AwaitPuts(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return puts_.size() >= count; });
  }
  void ReleasePuts() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (grpc::ServerUnaryReactor* const put : puts_) {
      put->Finish(grpc::Status::OK);
    }
    puts_.clear();
  }

 private:
  grpc::ServerUnaryReactor* Read(grpc::CallbackServerContext* context,
                                 const Ask* ask, Reply* reply) override {
    reply->set_text(ask->text());
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
  grpc::ServerUnaryReactor* Put(grpc::CallbackServerContext* context,
                                const Ask*, Reply*) override {
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    std::lock_guard<std::mutex> lock(mutex_);
    puts_.push_back(reactor);
    changed_.notify_all();
    return reactor;
  }
  grpc::ServerUnaryReactor* Charge(grpc::CallbackServerContext* context,
                                   const Ask*, Reply*) override {
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "restarting"));
    return reactor;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<grpc::ServerUnaryReactor*> puts_;
};

class Echo::Chats final : public Kinds::CallbackService {
  class Reactor final : public grpc::ServerBidiReactor<Note, Note> {
   public:
    Reactor() { StartRead(&note_); }
    void OnReadDone(bool ok) override {
      if (ok) {
        StartWrite(&note_);
      } else {
        Finish(grpc::Status::OK);
      }
    }
    void OnWriteDone(bool ok) override {
      if (ok) StartRead(&note_);
    }
    void OnDone() override { delete this; }

   private:
    Note note_;
  };

  grpc::ServerBidiReactor<Note, Note>* Chat(
      grpc::CallbackServerContext*) override {
    return new Reactor;
  }
};

Echo::Echo()
    : service_(std::make_unique<Service>()), chats_(std::make_unique<Chats>()) {
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(service_.get());
  builder.RegisterService(chats_.get());
  server_ = builder.BuildAndStart();
  address_ = absl::StrCat("127.0.0.1:", port);
}

Echo::~Echo() {
  server_->Shutdown();
  server_->Wait();
}

void Echo::AwaitPuts(int count) const {
  service_->AwaitPuts(static_cast<size_t>(count));
}

void Echo::ReleasePuts() const { service_->ReleasePuts(); }

Stubs Echo::Connect(Variant variant) const {
  const auto credentials = grpc::InsecureChannelCredentials();
  grpc::ChannelArguments arguments;
  // A connection of its own for each.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  std::shared_ptr<grpc::ChannelInterface> channel;
  switch (variant) {
    case Variant::kPlain:
      channel = grpc::CreateCustomChannel(address_, credentials, arguments);
      break;
    case Variant::kInterceptor: {
      std::vector<std::unique_ptr<
          grpc::experimental::ClientInterceptorFactoryInterface>>
          factories;
      factories.push_back(std::make_unique<DoesNothingFactory>());
      channel = grpc::experimental::CreateCustomChannelWithInterceptors(
          address_, credentials, arguments, std::move(factories));
      break;
    }
    case Variant::kCoreRetry:
      arguments.SetServiceConfigJSON(kRetryPolicy);
      channel = grpc::CreateCustomChannel(address_, credentials, arguments);
      break;
    case Variant::kTakeOver:
    case Variant::kForbear: {
      ClientOptions options;
      options.arguments = arguments;
      options.take_over = variant == Variant::kTakeOver;
      channel = CreateChannel(address_, credentials, options);
      break;
    }
  }
  return {Probe::NewStub(channel), Kinds::NewStub(channel)};
}

void MakeCalls(const Stubs& stubs, Style style, int calls, int bytes) {
  Probe::Stub& stub = *stubs.unary;
  if (style == Style::kCallback) return Pipeline(stub, calls, bytes).Run();
  if (style == Style::kQueue) return MakeQueuedCalls(stub, calls, bytes);
  if (style == Style::kStream) return Chat(*stubs.stream, calls, bytes);
  Ask ask;
  ask.set_text(std::string(bytes, 'x'));
  for (int i = 0; i < calls; ++i) {
    grpc::ClientContext context;
    Reply reply;
    EndIfFailed(stub.Read(&context, ask, &reply));
  }
}

}  // namespace benchmarks
}  // namespace forbear
