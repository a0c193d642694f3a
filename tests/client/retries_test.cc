// Who may hold what, and for how long, while retries are under way.
#include "interceptors/client/retries.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/impl/call_hook.h>
#include <grpcpp/server_builder.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "interceptors/client/client_core.h"
#include "interceptors/client/grpc_inside.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/testing/scripted_server.h"
#include "proto/testing/probe.grpc.pb.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

std::shared_ptr<grpc::Channel> Connect(const ScriptedServer& server) {
  return grpc::CreateChannel(server.address(),
                             grpc::InsecureChannelCredentials());
}

// A channel on which it takes long to come back from starting a call.
class SlowToReturn final : public grpc::ChannelInterface,
                           public grpc::internal::CallHook {
 public:
  SlowToReturn(std::shared_ptr<grpc::Channel> channel, absl::Notification* go)
      : channel_(std::move(channel)), go_(go) {}

  grpc_connectivity_state GetState(bool try_to_connect) override {
    return channel_->GetState(try_to_connect);
  }

 private:
  grpc::internal::Call CreateCall(const grpc::internal::RpcMethod& method,
                                  grpc::ClientContext* context,
                                  grpc::CompletionQueue* cq) override {
    const grpc::internal::Call made =
        inside::Friend::CreateCall(*channel_, method, context, cq);
    return grpc::internal::Call(made.call(), this, cq);
  }
  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* ops,
                        grpc::internal::Call* call) override {
    absl::Notification* const go = go_;
    grpc::internal::Call bare(call->call(), this, call->cq());
    ops->FillOps(&bare);
    go->WaitForNotification();  // This object may be gone by now.
  }
  void* RegisterMethod(const char*) override { return nullptr; }
  void NotifyOnStateChangeImpl(grpc_connectivity_state, gpr_timespec,
                               grpc::CompletionQueue*, void*) override {}
  bool WaitForStateChangeImpl(grpc_connectivity_state, gpr_timespec) override {
    return false;
  }
  grpc::CompletionQueue* CallbackCQ() override {
    return inside::Friend::CallbackCQ(*channel_);
  }

  const std::shared_ptr<grpc::Channel> channel_;
  absl::Notification* const go_;
};

// Else a thread of gRPC might be the last to hold the channel.
TEST(AsyncRetriesTest, AThreadThatStartsAnAttemptHoldsNothingOnceItMayEnd) {
  ScriptedServer server;
  server.Script({Answer::Succeeds(Reply())});
  const std::shared_ptr<ClientCore> core =
      ClientCore::Make(server.address(), ClientOptions());
  std::multimap<std::string, std::string> metadata;
  const InUse<Method> method =
      core->Find("/forbear.testing.Probe/Read")->Take();
  LogicalCall call(core, method, Parent(), &metadata);
  const std::shared_ptr<grpc::Channel> channel = Connect(server);
  absl::Notification go;
  Retryable what;
  what.call = &call;
  what.channel = std::make_shared<SlowToReturn>(channel, &go);
  const grpc::Slice empty("");
  what.request = grpc::ByteBuffer(&empty, 1);
  const std::weak_ptr<grpc::ChannelInterface> slow = what.channel;

  absl::Notification done;
  AsyncRetries::Self retries =
      AsyncRetries::Make(std::move(what), [&done](const Retried& retried) {
        EXPECT_TRUE(retried.status.ok());
        done.Notify();
      });
  std::thread starter([&call, self = retries]() mutable {
    AsyncRetries::Carry(std::move(self),
                        call.Start(SteadyNow(), absl::InfiniteFuture()));
  });
  done.WaitForNotification();
  const std::weak_ptr<AsyncRetries> left = retries;
  retries.reset();
  EXPECT_TRUE(left.expired());
  EXPECT_TRUE(slow.expired());
  go.Notify();
  starter.join();
}

// A handler that makes a call, which fails and then waits for an hour.
class Waits final : public Probe::Service {
 public:
  explicit Waits(const std::string& upstream)
      : channel_(
            grpc::CreateChannel(upstream, grpc::InsecureChannelCredentials())) {
    MethodPolicy patient;
    patient.backoff.initial = absl::Hours(1);
    patient.backoff.max = absl::Hours(1);
    patient.backoff.jitter = Jitter::kNone;
    ClientOptions options;
    options.policy = patient;
    core_ = ClientCore::Make(upstream, options);
  }

  grpc::Status Read(grpc::ServerContext* inbound, const Ask*, Reply*) override {
    const auto context = grpc::ClientContext::FromServerContext(*inbound);
    std::multimap<std::string, std::string> metadata;
    LogicalCall call(core_, core_->Find("/forbear.testing.Probe/Read")->Take(),
                     Parent::Of(*context), &metadata);
    Retryable what;
    what.call = &call;
    what.channel = channel_;
    const grpc::Slice empty("");
    what.request = grpc::ByteBuffer(&empty, 1);
    std::weak_ptr<AsyncRetries> weak;
    absl::Notification done;
    AsyncRetries::Self retries =
        AsyncRetries::Make(std::move(what), [&](const Retried& retried) {
          EXPECT_EQ(retried.status.error_code(), grpc::StatusCode::CANCELLED);
          owners = weak.use_count();
          done.Notify();
        });
    weak = retries;
    AsyncRetries::Carry(retries,
                        call.Start(SteadyNow(), absl::InfiniteFuture()));
    done.WaitForNotification();
    return grpc::Status::OK;
  }

  std::atomic<int> owners{0};

 private:
  const std::shared_ptr<grpc::Channel> channel_;
  std::shared_ptr<ClientCore> core_;
};

// The thread that tells is one of gRPC's callback threads.
TEST(AsyncRetriesTest, AWaitThatEndsWithItsParentHoldsNothingWhenItTells) {
  if (kPublicApiOnly) GTEST_SKIP() << "it knows of no inbound call";
  ScriptedServer upstream;
  upstream.Script({Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting")});
  Waits service(upstream.address());
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const auto stub = Probe::NewStub(grpc::CreateChannel(
      "127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  std::thread canceller([&context] {
    while (InFlight::Count(InFlight::kAlarm) == 0) std::this_thread::yield();
    context.TryCancel();
  });
  Reply reply;
  EXPECT_EQ(stub->Read(&context, Ask(), &reply).error_code(),
            grpc::StatusCode::CANCELLED);
  canceller.join();
  server->Shutdown();
  server->Wait();
  EXPECT_EQ(service.owners, 1);  // Its caller alone.
}

// A wait's alarm may stop the watch at the moment at which the watch ends.
TEST(ParentWatchTest, MayBeStoppedUntilWhoeverGetsItBackDestroysIt) {
  ScriptedServer server;
  const std::shared_ptr<grpc::Channel> channel = Connect(server);
  std::mutex mutex;
  absl::Notification done;
  ParentWatch* const watch =
      ParentWatch::Start(channel, "/forbear.testing.Probe/Read", Parent(),
                         [&](std::unique_ptr<ParentWatch> ended) {
                           std::lock_guard<std::mutex> lock(mutex);
                           ended->Stop();
                           ended.reset();
                           done.Notify();
                         });
  {
    std::lock_guard<std::mutex> lock(mutex);
    watch->Stop();
  }
  done.WaitForNotification();
}

}  // namespace
}  // namespace testing
}  // namespace forbear
