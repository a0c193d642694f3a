#include "interceptors/server/deadline_interceptor.h"

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/health_check_service_interface.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "absl/time/time.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/policy/pushback.h"
#include "tests/server/kinds_server.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::Combine;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::Values;

constexpr absl::Duration kMinute = absl::Minutes(1);

ServerOptions AllDoomed(Mode mode) {
  ServerOptions options;
  options.mode = mode;
  options.minimum_time_left = absl::Hours(1);
  return options;
}

// The service is registered with the builder, behind the guard's back.
ServerSetup Plain() {
  ServerSetup setup;
  setup.guarded = false;
  return setup;
}

class DeadlineInterceptorTest
    : public ::testing::TestWithParam<std::tuple<Style, Kind>> {
 protected:
  ~DeadlineInterceptorTest() override {
    Await([] { return InFlight::Total() == 0; });
  }

  Style style() const { return std::get<0>(GetParam()); }
  Kind kind() const { return std::get<1>(GetParam()); }
};

TEST_P(DeadlineInterceptorTest, GivesAHandlerItsScopeUntilItAnswers) {
  KindsServer server(style(), ServerOptions(), Plain());
  std::shared_ptr<CallScope> scope;
  absl::Duration left;
  std::string key;
  server.script().run = [&](grpc::ServerContextBase*) {
    scope = CallScope::Current();
    left = scope->TimeLeft();
    key = scope->DeriveKey("/shop.Stock/Take", "book");
    EXPECT_FALSE(scope->Cancelled());
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "");
  };
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::minutes(1));
  context.AddMetadata(std::string(kIdempotencyKey), "c1f9");
  EXPECT_EQ(server.Call(kind(), &context).status.error_code(),
            grpc::StatusCode::NOT_FOUND);
  server.server().Shutdown();

  EXPECT_GT(left, absl::ZeroDuration());
  EXPECT_LE(left, kMinute * 1.01);
  EXPECT_EQ(key, "c1f9/shop.Stock/Take/book");
  EXPECT_FALSE(scope->WithParent([](grpc_call*) {}));
  EXPECT_THAT(server.recorder().entered(), SizeIs(1));
  ASSERT_THAT(server.recorder().ended(), SizeIs(1));
  EXPECT_EQ(server.recorder().ended()[0].method, MethodOf(kind()));
  EXPECT_EQ(server.recorder().ended()[0].code, absl::StatusCode::kNotFound);
}

TEST_P(DeadlineInterceptorTest, CountsALateCallAndCannotStopIt) {
  KindsServer server(style(), AllDoomed(Mode::kEnforce), Plain());
  EXPECT_TRUE(server.Call(kind(), kMinute).status.ok());
  server.recorder().AwaitEnded(1);
  EXPECT_EQ(server.script().entered, 1);
  ASSERT_THAT(server.recorder().refused(), SizeIs(1));
  EXPECT_FALSE(server.recorder().refused()[0].enforced);
  EXPECT_THAT(server.recorder().entered(), SizeIs(1));
}

TEST_P(DeadlineInterceptorTest, CorrectsAnswersAsTheGuardDoes) {
  KindsServer server(style(), ServerOptions(), Plain());
  server.script().run = [](grpc::ServerContextBase* context) {
    context->AddTrailingMetadata(std::string(kNotAppliedKey), "1");
    CallScope::Current()->NoteGaveUp(absl::StatusCode::kUnavailable);
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "");
  };
  const Reply reply = server.Call(kind(), kMinute);
  EXPECT_THAT(reply.Trailers(kNotAppliedKey), IsEmpty());
  EXPECT_THAT(reply.Trailers(kPushbackKey), ElementsAre("-1"));
  server.recorder().AwaitEnded(1);
  EXPECT_TRUE(server.recorder().ended()[0].told_not_to_retry);
}

TEST_P(DeadlineInterceptorTest, LeavesNoTraceWhenOff) {
  KindsServer server(style(), AllDoomed(Mode::kOff), Plain());
  server.script().run = [](grpc::ServerContextBase*) {
    EXPECT_EQ(CallScope::Current(), nullptr);
    return grpc::Status::OK;
  };
  EXPECT_TRUE(server.Call(kind(), kMinute).status.ok());
  server.server().Shutdown();
  EXPECT_THAT(server.recorder().entered(), IsEmpty());
  EXPECT_THAT(server.recorder().refused(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    AllKinds, DeadlineInterceptorTest,
    Combine(Values(Style::kSync, Style::kCallback),
            Values(Kind::kUnary, Kind::kUpload, Kind::kDownload, Kind::kChat)),
    [](const ::testing::TestParamInfo<DeadlineInterceptorTest::ParamType>&
           info) {
      return NameOf(std::get<0>(info.param)) + NameOf(std::get<1>(info.param));
    });

TEST(DeadlineInterceptorAloneTest, HearsThatTheCallerOfACallbackHandlerIsGone) {
  KindsServer server(Style::kCallback, ServerOptions(), Plain());
  server.script().until_cancelled = true;
  grpc::ClientContext context;
  std::thread gives_up([&] {
    Await([&] { return server.script().entered == 1; });
    context.TryCancel();
  });
  EXPECT_EQ(server.Call(Kind::kUnary, &context).status.error_code(),
            grpc::StatusCode::CANCELLED);
  gives_up.join();
  server.recorder().AwaitEnded(1);
}

TEST(DeadlineInterceptorAloneTest, DoesNothingWithOptionsThatAreNoGood) {
  KindsServer server(
      Style::kSync,
      [] {
        ServerOptions options;
        options.mode = Mode::kOff;
        return options;
      }(),
      [] {
        ServerSetup setup = Plain();
        ServerOptions options;
        options.minimum_time_left = -absl::Seconds(1);
        setup.interceptors.push_back(
            std::make_unique<DeadlineInterceptorFactory>(options));
        return setup;
      }());
  server.script().run = [](grpc::ServerContextBase*) {
    EXPECT_EQ(CallScope::Current(), nullptr);
    return grpc::Status::OK;
  };
  EXPECT_TRUE(server.Call(Kind::kUnary, kMinute).status.ok());
}

TEST(DeadlineInterceptorAloneTest, LeavesGrpcsOwnServicesAlone) {
  grpc::EnableDefaultHealthCheckService(true);
  KindsServer server(Style::kSync, ServerOptions(), Plain());
  grpc::EnableDefaultHealthCheckService(false);
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub(
      server.channel());
  const grpc::Slice empty;
  const grpc::ByteBuffer everything(&empty, 1);  // The whole server's health.
  grpc::ByteBuffer response;
  grpc::ClientContext context;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", grpc::StubOptions(),
                 &everything, &response,
                 [&done](grpc::Status status) { done.set_value(status); });
  const grpc::Status status = done.get_future().get();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(server.recorder().entered(), IsEmpty());
}

// A completion queue may drop a call that it has taken: it ends nevertheless.
TEST(DeadlineInterceptorAloneTest, EndsACallThatIsNeverAnswered) {
  Kinds::AsyncService service;
  std::unique_ptr<grpc::ServerCompletionQueue> queue;
  ServerSetup setup = Plain();
  setup.prepare = [&queue](grpc::ServerBuilder& builder) {
    queue = builder.AddCompletionQueue();
  };
  KindsServer server(&service, ServerOptions(), std::move(setup));
  auto context = std::make_unique<grpc::ServerContext>();
  Note request;
  auto writer =
      std::make_unique<grpc::ServerAsyncResponseWriter<Note>>(context.get());
  service.RequestUnary(context.get(), &request, writer.get(), queue.get(),
                       queue.get(), &service);
  std::thread caller([&] {
    EXPECT_FALSE(
        server.Call(Kind::kUnary, absl::InfiniteDuration()).status.ok());
  });
  void* tag;
  bool ok;
  EXPECT_TRUE(queue->Next(&tag, &ok) && ok);
  EXPECT_THAT(server.recorder().entered(), SizeIs(1));
  server.server().Shutdown(std::chrono::system_clock::now());
  caller.join();
  writer.reset();
  context.reset();
  queue->Shutdown();
  while (queue->Next(&tag, &ok)) {
  }
  ASSERT_THAT(server.recorder().ended(), SizeIs(1));
  EXPECT_EQ(server.recorder().ended()[0].code, absl::StatusCode::kCancelled);
  Await([] { return InFlight::Total() == 0; });
}

}  // namespace
}  // namespace testing
}  // namespace forbear
