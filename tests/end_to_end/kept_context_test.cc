// A ClientContext of a call made in a handler may outlive the handler's server.
#include <grpcpp/server_builder.h>

#include <memory>
#include <string>

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

}  // namespace
}  // namespace testing
}  // namespace forbear
