// Fails by name when gRPC changes under grpc_inside.h: each test states one
// thing that the client takes for granted about gRPC's own code.
#include "interceptors/client/grpc_inside.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/impl/call_hook.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/probe_call.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::ElementsAre;
using Kind = inside::Batch::Kind;

// Passes everything on, and notes the batches and what they end with.
class Spy final : public grpc::ChannelInterface,
                  public grpc::internal::CallHook {
 public:
  explicit Spy(const std::string& address)
      : channel_(
            grpc::CreateChannel(address, grpc::InsecureChannelCredentials())) {}

  grpc_connectivity_state GetState(bool try_to_connect) override {
    return channel_->GetState(try_to_connect);
  }

  std::vector<Kind> kinds;
  bool callback = false;
  // What is asked of each batch before it goes to the core.
  std::function<void(inside::Batch*)> on_batch = [](inside::Batch*) {};

 private:
  grpc::internal::Call CreateCall(const grpc::internal::RpcMethod& method,
                                  grpc::ClientContext* context,
                                  grpc::CompletionQueue* cq) override {
    callback = cq == CallbackCQ();
    const grpc::internal::RpcMethod rpc(method.name(), method.method_type());
    const grpc::internal::Call made =
        inside::Friend::CreateCall(*channel_, rpc, context, cq);
    return grpc::internal::Call(made.call(), this, cq);
  }
  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* ops,
                        grpc::internal::Call* call) override {
    inside::Batch batch(ops);
    kinds.push_back(batch.kind());
    on_batch(&batch);
    grpc::internal::Call bare(call->call(), this, call->cq());
    ops->FillOps(&bare);
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
};

class GrpcInsideTest : public ::testing::Test {
 protected:
  GrpcInsideTest() {
    Reply reply;
    reply.set_text("hi");
    server_.Script({Answer::Succeeds(reply)});
  }

  ScriptedServer server_;
  std::shared_ptr<Spy> spy_ = std::make_shared<Spy>(server_.address());
  std::unique_ptr<ProbeStub> stub_ = ProbeStub::New(spy_);
  grpc::ClientContext context_;
};

TEST_F(GrpcInsideTest, KnowsTheBatchesOfEveryStubStyle) {
  const std::vector<std::pair<StubStyle, std::vector<Kind>>> expected = {
      {StubStyle::kSync, {Kind::kWhole}},
      {StubStyle::kCallback, {Kind::kWhole}},
      {StubStyle::kReactor, {Kind::kStart, Kind::kFinish}},
      {StubStyle::kQueue, {Kind::kQueuedWhole}},
      {StubStyle::kQueueInTwo, {Kind::kQueuedStart, Kind::kQueuedFinish}},
      {StubStyle::kGenericQueue, {Kind::kQueuedWhole}},
      {StubStyle::kGenericCallback, {Kind::kWhole}},
  };
  for (const auto& [style, kinds] : expected) {
    spy_->kinds.clear();
    grpc::ClientContext context;
    EXPECT_TRUE(Call(*stub_, style, ProbeMethod::kRead, &context).status.ok());
    EXPECT_EQ(spy_->kinds, kinds) << StyleName(style);
    EXPECT_EQ(spy_->callback, style == StubStyle::kCallback ||
                                  style == StubStyle::kReactor ||
                                  style == StubStyle::kGenericCallback);
  }
}

TEST_F(GrpcInsideTest, KeepsTheRequestAndStillSendsIt) {
  std::string kept;
  spy_->on_batch = [&kept](inside::Batch* batch) {
    const grpc::ByteBuffer request = batch->KeepRequest();
    grpc::Slice slice;
    ASSERT_TRUE(request.DumpToSingleSlice(&slice).ok());
    kept.assign(reinterpret_cast<const char*>(slice.begin()), slice.size());
  };
  EXPECT_TRUE(
      Call(*stub_, StubStyle::kCallback, ProbeMethod::kRead, &context_, "hello")
          .status.ok());
  EXPECT_EQ(kept, server_.arrivals().at(0).request);
  Ask ask;
  EXPECT_TRUE(ask.ParseFromString(kept));
  EXPECT_EQ(ask.text(), "hello");
}

TEST_F(GrpcInsideTest, ShowsTheStubAnotherAnswerThanTheCores) {
  server_.Script(
      {Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting", "details")
           .WithTrailer("x-trailer", "t")});
  Reply late;
  late.set_text("late");
  // Stands where DirectCall stands for callback stubs.
  struct Tag : grpc_completion_queue_functor {
    inside::Batch batch;
    grpc_completion_queue_functor* stub;
    grpc::ClientContext* context;
    std::string reply;
    grpc::Status seen;
  } tag;
  tag.context = &context_;
  tag.reply = late.SerializeAsString();
  tag.inlineable = false;
  tag.functor_run = [](grpc_completion_queue_functor* functor, int ok) {
    Tag* const self = static_cast<Tag*>(functor);
    self->seen = self->batch.status_op().status(*self->context);
    const grpc::Slice slice(self->reply);
    self->batch.SetResponse(grpc::ByteBuffer(&slice, 1));
    self->batch.status_op().Replace(grpc::Status(), nullptr);
    self->stub->functor_run(self->stub, ok);
  };
  spy_->on_batch = [&tag](inside::Batch* batch) {
    tag.batch = *batch;
    tag.stub = static_cast<grpc_completion_queue_functor*>(
        batch->ops()->core_cq_tag());
    batch->SetCoreTag(&tag);
  };
  const ProbeResult result =
      Call(*stub_, StubStyle::kCallback, ProbeMethod::kRead, &context_);
  EXPECT_TRUE(result.status.ok());
  EXPECT_EQ(result.reply.text(), "late");
  EXPECT_EQ(tag.seen.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(tag.seen.error_message(), "restarting");
  EXPECT_EQ(tag.seen.error_details(), "details");
}

TEST_F(GrpcInsideTest, ReadsWhatAContextSaysOfItsCall) {
  context_.AddMetadata("x-key", "value");
  context_.set_wait_for_ready(true);
  context_.set_authority("authority");
  EXPECT_EQ(inside::Friend::SentMetadata(context_).count("x-key"), 1);
  EXPECT_TRUE(inside::Friend::WaitForReady(context_));
  EXPECT_TRUE(inside::Friend::WaitForReadySet(context_));
  EXPECT_EQ(inside::Friend::Authority(context_), "authority");
  EXPECT_EQ(inside::Friend::Parent(context_), nullptr);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
