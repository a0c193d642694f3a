#include "tests/end_to_end/relay.h"

#include <grpcpp/server_builder.h>

#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "interceptors/client/channel.h"

namespace forbear {
namespace testing {
namespace {

std::unique_ptr<Probe::Stub> Connect(const std::string& upstream,
                                     const Relay::Options& options) {
  return Probe::NewStub(CreateChannel(
      upstream, grpc::InsecureChannelCredentials(), options.client));
}

std::unique_ptr<grpc::ClientContext> ContextFor(
    const Relay::Options& options, const grpc::ServerContextBase& inbound) {
  return options.context == nullptr ? std::make_unique<grpc::ClientContext>()
                                    : options.context(inbound);
}

}  // namespace

// Note that neither handler says a word about deadlines or cancellation.
class Relay::Sync final : public Probe::Service {
 public:
  Sync(const std::string& upstream, const Options& options)
      : options_(options), stub_(Connect(upstream, options)) {}

  grpc::Status Read(grpc::ServerContext* inbound, const Ask* ask,
                    Reply* reply) override {
    const auto context = ContextFor(options_, *inbound);
    return stub_->Read(context.get(), *ask, reply);
  }

 private:
  const Options options_;
  const std::unique_ptr<Probe::Stub> stub_;
};

class Relay::Callback final : public Probe::CallbackService {
 public:
  Callback(const std::string& upstream, const Options& options)
      : options_(options), stub_(Connect(upstream, options)) {}

  grpc::ServerUnaryReactor* Read(grpc::CallbackServerContext* inbound,
                                 const Ask* ask, Reply* reply) override {
    std::shared_ptr<grpc::ClientContext> context =
        ContextFor(options_, *inbound);
    grpc::ServerUnaryReactor* const reactor = inbound->DefaultReactor();
    grpc::ClientContext* const used = context.get();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ++in_hand_;
    }
    stub_->async()->Read(used, ask, reply,
                         [this, context = std::move(context),
                          reactor](const grpc::Status& status) mutable {
                           context.reset();  // Before the server can go away.
                           reactor->Finish(status);
                           std::lock_guard<std::mutex> lock(mutex_);
                           --in_hand_;
                           idle_.notify_all();
                         });
    return reactor;
  }

  // The server's shutdown waits for this too, but not in a way that
  // ThreadSanitizer sees.
  void AwaitIdle() {
    std::unique_lock<std::mutex> lock(mutex_);
    idle_.wait(lock, [this] { return in_hand_ == 0; });
  }

 private:
  const Options options_;
  const std::unique_ptr<Probe::Stub> stub_;
  std::mutex mutex_;
  std::condition_variable idle_;
  int in_hand_ = 0;
};

Relay::Relay(const std::string& upstream, const Options& options)
    : guard_(options.server) {
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  if (options.style == HandlerStyle::kSync) {
    sync_ = std::make_unique<Sync>(upstream, options);
    guard_.RegisterService<Probe>(builder, *sync_);
  } else {
    callback_ = std::make_unique<Callback>(upstream, options);
    guard_.RegisterService<Probe>(builder, *callback_);
  }
  guard_.Install(builder);
  server_ = builder.BuildAndStart();
  address_ = absl::StrCat("127.0.0.1:", port);
}

Relay::~Relay() {
  server_->Shutdown();
  server_->Wait();
  if (callback_ != nullptr) callback_->AwaitIdle();
}

}  // namespace testing
}  // namespace forbear
