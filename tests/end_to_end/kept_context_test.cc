// A call made in a handler, and its ClientContext, may outlive the handler's
// server.
#include <grpcpp/server_builder.h>

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "interceptors/client/channel.h"
#include "interceptors/server/server_guard.h"
#include "interceptors/testing/scripted_server.h"
#include "proto/testing/probe.grpc.pb.h"

namespace forbear {
namespace testing {
namespace {

class Keeper final : public Probe::Service {
 public:
  explicit Keeper(std::unique_ptr<Probe::Stub> upstream)
      : upstream_(std::move(upstream)) {}

  grpc::Status Read(grpc::ServerContext*, const Ask* ask,
                    Reply* reply) override {
    kept = std::make_unique<grpc::ClientContext>();
    return upstream_->Read(kept.get(), *ask, reply);
  }

  std::unique_ptr<grpc::ClientContext> kept;

 private:
  const std::unique_ptr<Probe::Stub> upstream_;
};

TEST(KeptContextTest, DoesNotKeepTheServerFromShuttingDown) {
  ScriptedServer bottom;
  bottom.Script({Answer::Succeeds(Reply())});
  Keeper service(Probe::NewStub(
      CreateChannel(bottom.address(), grpc::InsecureChannelCredentials())));
  ServerGuard guard{ServerOptions()};
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  guard.RegisterService<Probe>(builder, service);
  auto server = builder.BuildAndStart();
  auto stub = Probe::NewStub(CreateChannel(absl::StrCat("127.0.0.1:", port),
                                           grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  Reply reply;
  EXPECT_TRUE(stub->Read(&context, Ask(), &reply).ok());
  server->Shutdown();
  server->Wait();
  EXPECT_NE(service.kept, nullptr);
}

// Any interceptor of the user's sends calls the way of the interceptor API.
class Bystander final
    : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateClientInterceptor(
      grpc::experimental::ClientRpcInfo*) override {
    return nullptr;
  }
};

// Makes a call in its handler, and leaves it to others to start it.
class Late final : public Probe::Service {
 public:
  class Call final : public grpc::ClientUnaryReactor {
   public:
    void OnDone(const grpc::Status& status) override { done.set_value(status); }
    grpc::ClientContext context;
    Ask ask;
    Reply reply;
    std::promise<grpc::Status> done;
  };

  explicit Late(std::unique_ptr<Probe::Stub> upstream)
      : upstream_(std::move(upstream)) {}

  grpc::Status Read(grpc::ServerContext*, const Ask*, Reply*) override {
    call = std::make_unique<Call>();
    upstream_->async()->Read(&call->context, &call->ask, &call->reply,
                             call.get());
    return grpc::Status::OK;
  }

  std::unique_ptr<Call> call;

 private:
  const std::unique_ptr<Probe::Stub> upstream_;
};

TEST(KeptContextTest, ACallThatIsStartedAfterItsHandlerHasReturnedIsCancelled) {
  for (const bool hijacked : {false, true}) {
    ScriptedServer bottom;
    bottom.Script({Answer::Succeeds(Reply())});
    ClientOptions options;
    if (hijacked) options.interceptors = {std::make_shared<Bystander>()};
    Late service(Probe::NewStub(CreateChannel(
        bottom.address(), grpc::InsecureChannelCredentials(), options)));
    ServerGuard guard{ServerOptions()};
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    guard.RegisterService<Probe>(builder, service);
    auto server = builder.BuildAndStart();
    auto stub = Probe::NewStub(CreateChannel(
        absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    Reply reply;
    EXPECT_TRUE(stub->Read(&context, Ask(), &reply).ok());
    server->Shutdown();
    server->Wait();
    service.call->StartCall();
    EXPECT_EQ(service.call->done.get_future().get().error_code(),
              grpc::StatusCode::CANCELLED);
    service.call.reset();
    EXPECT_TRUE(bottom.arrivals().empty());
  }
}

}  // namespace
}  // namespace testing
}  // namespace forbear
