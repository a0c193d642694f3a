// What the server's room inside gRPC believes of it. If one of these fails,
// gRPC has changed a meaning, and interceptors/server/grpc_inside.cc must
// follow.
#include <gmock/gmock.h>
#include <google/protobuf/message_lite.h>
#include <grpcpp/impl/call_op_set.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/server/grpc_inside.h"
#include "interceptors/server/refusal.h"
#include "tests/server/kinds_server.h"

namespace forbear {
namespace testing {
namespace {

using grpc::internal::CallOpSendInitialMetadata;
using grpc::internal::CallOpSendMessage;
using grpc::internal::CallOpServerSendStatus;
using grpc::internal::CallOpSet;
using grpc::internal::RpcMethod;
using grpc::internal::RpcServiceMethod;
using ::testing::ElementsAre;
using ApiType = RpcServiceMethod::ApiType;

std::vector<RpcMethod::RpcType> TypesOf(const grpc::Service& service) {
  std::vector<RpcMethod::RpcType> types;
  for (const auto& method : inside::MethodsOf(service)) {
    types.push_back(method->method_type());
  }
  return types;
}

std::vector<ApiType> ApisOf(const grpc::Service& service) {
  std::vector<ApiType> apis;
  for (const auto& method : inside::MethodsOf(service)) {
    apis.push_back(method->api_type());
  }
  return apis;
}

TEST(GrpcInsideServerTest, ListsMethodsAsTheyWereDeclared) {
  Script script;
  const SyncKinds service(&script);
  std::vector<std::string> names;
  for (const auto& method : inside::MethodsOf(service)) {
    names.push_back(method->name());
    EXPECT_NE(method->handler(), nullptr);
  }
  EXPECT_THAT(names,
              ElementsAre(MethodOf(Kind::kUnary), MethodOf(Kind::kUpload),
                          MethodOf(Kind::kDownload), MethodOf(Kind::kChat)));
  EXPECT_THAT(
      TypesOf(service),
      ElementsAre(RpcMethod::NORMAL_RPC, RpcMethod::CLIENT_STREAMING,
                  RpcMethod::SERVER_STREAMING, RpcMethod::BIDI_STREAMING));
}

class StreamedKinds final : public Kinds::StreamedService {
  grpc::Status StreamedUnary(grpc::ServerContext*,
                             grpc::ServerUnaryStreamer<Note, Note>*) override {
    return grpc::Status::OK;
  }
  grpc::Status StreamedDownload(
      grpc::ServerContext*, grpc::ServerSplitStreamer<Note, Note>*) override {
    return grpc::Status::OK;
  }
};

TEST(GrpcInsideServerTest, TellsHowEachMethodIsServed) {
  EXPECT_THAT(
      ApisOf(Kinds::WithAsyncMethod_Unary<Kinds::WithCallbackMethod_Upload<
                 Kinds::WithRawCallbackMethod_Download<Kinds::Service>>>()),
      ElementsAre(ApiType::ASYNC, ApiType::CALL_BACK, ApiType::RAW_CALL_BACK,
                  ApiType::SYNC));
  EXPECT_THAT(
      TypesOf(StreamedKinds()),
      ElementsAre(RpcMethod::BIDI_STREAMING, RpcMethod::CLIENT_STREAMING,
                  RpcMethod::BIDI_STREAMING, RpcMethod::BIDI_STREAMING));
  EXPECT_EQ(
      inside::MethodsOf(Kinds::WithGenericMethod_Upload<Kinds::Service>())[1],
      nullptr);
}

template <typename... Ops>
void FindsTheAnswerOnceThereIsOne() {
  CallOpSet<Ops...> batch;
  EXPECT_FALSE(inside::AnswerIn(&batch).has_value());
  std::multimap<std::string, std::string> trailers;
  batch.ServerSendStatus(
      &trailers, grpc::Status(grpc::StatusCode::ABORTED, "", "details"));
  const auto answer = inside::AnswerIn(&batch);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->code, GRPC_STATUS_ABORTED);
  EXPECT_EQ(answer->trailers, &trailers);
}

TEST(GrpcInsideServerTest, FindsTheAnswerInABatch) {
  FindsTheAnswerOnceThereIsOne<CallOpSendInitialMetadata, CallOpSendMessage,
                               CallOpServerSendStatus>();
  FindsTheAnswerOnceThereIsOne<CallOpSendInitialMetadata,
                               CallOpServerSendStatus>();
  // One that nobody has thought of.
  FindsTheAnswerOnceThereIsOne<CallOpSendMessage, CallOpServerSendStatus>();
}

TEST(GrpcInsideServerTest, FindsNoAnswerWhereNoneIsSent) {
  CallOpSet<CallOpSendInitialMetadata, CallOpSendMessage> batch;
  EXPECT_FALSE(inside::AnswerIn(&batch).has_value());
}

TEST(GrpcInsideServerTest, ReadsWhatACallBroughtWithoutFillingTheMap) {
  KindsServer server(Style::kSync, ServerOptions());
  std::vector<std::string> values;
  server.script().run = [&values](grpc::ServerContextBase* context) {
    const grpc_metadata_array& metadata = inside::ReceivedMetadata(*context);
    for (size_t i = 0; i < metadata.count; ++i) {
      const auto text = [](const grpc_slice& slice) {
        return std::string(
            reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)),
            GRPC_SLICE_LENGTH(slice));
      };
      if (text(metadata.metadata[i].key) == "colour") {
        values.push_back(text(metadata.metadata[i].value));
      }
    }
    // The map is as complete after our look as it ever was.
    EXPECT_EQ(context->client_metadata().count("colour"), 2u);
    return grpc::Status::OK;
  };
  grpc::ClientContext context;
  context.AddMetadata("colour", "red");
  context.AddMetadata("colour", "blue");
  EXPECT_TRUE(server.Call(Kind::kUnary, &context).status.ok());
  server.recorder().AwaitEnded(1);
  EXPECT_THAT(values, ElementsAre("red", "blue"));
}

// What a handler sends goes through the hook of the Call that it is given, and
// its end is told through its requester: see guarded_method.cc.
TEST(GrpcInsideServerTest, SendsThroughTheHookAndTellsTheEnd) {
  for (const Style style : {Style::kSync, Style::kCallback}) {
    for (const Kind kind :
         {Kind::kUnary, Kind::kUpload, Kind::kDownload, Kind::kChat}) {
      KindsServer server(style, ServerOptions());
      EXPECT_TRUE(server.Call(kind, absl::Minutes(1)).status.ok());
      server.server().Shutdown();
      EXPECT_EQ(server.recorder().ended().size(), 1u);
      EXPECT_EQ(InFlight::Total(), 0);
    }
  }
}

// A holder of any messages is released as one of others; see refusal.cc.
TEST(GrpcInsideServerTest, ReleasesAHolderWhoseMessagesItDoesNotKnow) {
  ServerOptions options;
  options.minimum_time_left = absl::Hours(1);
  KindsServer server(Style::kCallback, options);
  EXPECT_EQ(
      server.Call(Kind::kUnary, absl::Minutes(1)).status.error_code(),
      grpc::StatusCode::DEADLINE_EXCEEDED);  // And the leak checker is content.
}

// The guard frees requests as these; see refusal.cc.
TEST(GrpcInsideServerTest, KeepsRequestsWhereTheGuardFreesThem) {
  Note note;
  EXPECT_EQ(static_cast<void*>(&note),
            static_cast<google::protobuf::MessageLite*>(&note));
  Script script;
  const SyncKinds sync(&script);
  for (const auto& method : inside::MethodsOf(sync)) {
    EXPECT_TRUE(Refusal(*method).possible()) << method->name();
  }
  const CallbackKinds callback(&script);
  for (const auto& method : inside::MethodsOf(callback)) {
    EXPECT_TRUE(Refusal(*method).possible()) << method->name();
  }
}

}  // namespace
}  // namespace testing
}  // namespace forbear
