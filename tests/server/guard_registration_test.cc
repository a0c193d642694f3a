// What can be registered with the guard, and what cannot.
#include <gmock/gmock.h>
#include <grpc/byte_buffer.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/server/server_guard.h"
#include "tests/server/kinds_server.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::Duration kMinute = absl::Minutes(1);

ServerOptions AllDoomed() {
  ServerOptions options;
  options.minimum_time_left = absl::Hours(1);
  return options;
}

// --- What cannot ---

TEST(GuardRegistrationTest, RefusesANullService) {
  ServerGuard guard{ServerOptions()};
  grpc::ServerBuilder builder;
  guard.RegisterService<Kinds>(builder, nullptr);
  EXPECT_EQ(guard.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(guard.status().message(),
            "RegisterService<forbear.testing.Kinds>: the service is null");
}

TEST(GuardRegistrationTest, RefusesASecondServiceAndServesTheFirst) {
  Script first, second;
  SyncKinds service(&first), other(&second);
  ServerGuard guard{ServerOptions()};
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  guard.RegisterService<Kinds>(builder, service);
  EXPECT_EQ(guard.status(), absl::OkStatus());
  guard.RegisterService<Kinds>(builder, service);
  guard.RegisterService<Kinds>(builder, &other);
  EXPECT_EQ(guard.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(guard.status().message(),
            "RegisterService<forbear.testing.Kinds>: this guard has registered "
            "one");

  auto server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  auto stub = Kinds::NewStub(grpc::CreateChannel(
      "127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  Note note;
  EXPECT_TRUE(stub->Unary(&context, note, &note).ok());
  EXPECT_EQ(first.entered, 1);
  EXPECT_EQ(second.entered, 0);
}

// --- Requests that cannot be read ---

grpc::Status CallWithGarbage(KindsServer& server, Kind kind) {
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub(
      server.channel());
  const grpc::Slice slice(std::string("\xff\xff\xff"));
  const grpc::ByteBuffer garbage(&slice, 1);
  grpc::ByteBuffer response;
  grpc::ClientContext context;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, MethodOf(kind), grpc::StubOptions(), &garbage,
                 &response,
                 [&done](grpc::Status status) { done.set_value(status); });
  return done.get_future().get();
}

TEST(GuardRegistrationTest, LeavesRequestsThatCannotBeReadToGrpc) {
  for (const Style style : {Style::kSync, Style::kCallback}) {
    for (const Kind kind : {Kind::kUnary, Kind::kDownload}) {
      ServerSetup plainly;
      plainly.guarded = false;
      KindsServer plain(style, ServerOptions(), std::move(plainly));
      KindsServer guarded(style, AllDoomed());
      const grpc::Status expected = CallWithGarbage(plain, kind);
      const grpc::Status status = CallWithGarbage(guarded, kind);
      EXPECT_FALSE(status.ok());
      EXPECT_EQ(status.error_code(), expected.error_code());
      EXPECT_EQ(status.error_message(), expected.error_message());
      for (KindsServer* server : {&plain, &guarded}) {
        server->server().Shutdown();
        EXPECT_EQ(server->script().entered, 0);
        EXPECT_THAT(server->recorder().entered(), IsEmpty());
        EXPECT_THAT(server->recorder().refused(), IsEmpty());
        EXPECT_THAT(server->recorder().ended(), IsEmpty());
      }
    }
  }
  Await([] { return InFlight::Total() == 0; });
}

// --- Services that are not served in one style ---

// Runs `service` refusing all, then refusing none; its handlers of `kinds`
// count in `script`.
void ExpectGuarded(Kinds::Service* service, Script* script,
                   std::initializer_list<Kind> kinds) {
  for (const Kind kind : kinds) {
    SCOPED_TRACE(NameOf(kind));
    {
      KindsServer server(service, AllDoomed());
      EXPECT_EQ(server.Call(kind, kMinute).status.error_code(),
                grpc::StatusCode::DEADLINE_EXCEEDED);
      EXPECT_EQ(script->entered, 0);
    }
    KindsServer server(service, ServerOptions());
    const Reply reply = server.Call(kind, kMinute);
    EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
    EXPECT_EQ(script->entered.exchange(0), 1);
  }
  Await([] { return InFlight::Total() == 0; });
}

class StreamedKinds final : public Kinds::StreamedService {
 public:
  explicit StreamedKinds(Script* script) : script_(*script) {}

  grpc::Status StreamedUnary(
      grpc::ServerContext* context,
      grpc::ServerUnaryStreamer<Note, Note>* stream) override {
    Note note;
    stream->Read(&note);
    stream->Write(note);
    return script_.Run(context);
  }
  grpc::Status StreamedDownload(
      grpc::ServerContext* context,
      grpc::ServerSplitStreamer<Note, Note>* stream) override {
    Note note;
    stream->Read(&note);
    stream->Write(note);
    return script_.Run(context);
  }

 private:
  Script& script_;
};

TEST(GuardRegistrationTest, GuardsStreamedUnaryAndSplitStreamedMethods) {
  Script script;
  StreamedKinds service(&script);
  ExpectGuarded(&service, &script, {Kind::kUnary, Kind::kDownload});
}

template <typename Reactor>
class Finished final : public Reactor {
 public:
  explicit Finished(const grpc::Status& status) { this->Finish(status); }
  void OnDone() override { delete this; }
};

// A handler that is not gRPC's: nobody but itself can free its requests.
class OwnKinds final : public Kinds::Service {
 public:
  OwnKinds() { MarkMethodCallback(0, new Handler); }

 private:
  class Handler final : public grpc::internal::MethodHandler {
    void RunHandler(const HandlerParameter& param) override {
      EXPECT_EQ(*static_cast<int*>(param.internal_data), 42);
      EXPECT_NE(CallScope::Current(), nullptr);
      grpc::internal::CallbackBidiHandler<Note, Note>(
          [](grpc::CallbackServerContext*) {
            return new Finished<grpc::ServerBidiReactor<Note, Note>>(
                grpc::Status(grpc::StatusCode::NOT_FOUND, "mine"));
          })
          .RunHandler(param);
    }
    void* Deserialize(grpc_call*, grpc_byte_buffer* request,
                      grpc::Status* status, void** handler_data) override {
      grpc_byte_buffer_destroy(request);
      *status = grpc::Status::OK;
      *handler_data = &data_;
      return &data_;
    }
    int data_ = 42;
  };
};

TEST(GuardRegistrationTest, OnlyCountsWhereItDoesNotKnowTheHandler) {
  OwnKinds service;
  KindsServer server(&service, AllDoomed());
  EXPECT_EQ(server.Call(Kind::kUnary, kMinute).status.error_message(), "mine");
  server.recorder().AwaitEnded(1);
  ASSERT_THAT(server.recorder().refused(), SizeIs(1));
  EXPECT_FALSE(server.recorder().refused()[0].enforced);
}

class RawKinds final
    : public Kinds::WithRawCallbackMethod_Unary<
          Kinds::WithRawCallbackMethod_Upload<
              Kinds::WithRawCallbackMethod_Download<
                  Kinds::WithRawCallbackMethod_Chat<Kinds::Service>>>> {
 public:
  explicit RawKinds(Script* script) : script_(*script) {}

  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context,
                                  const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* response) override {
    *response = *request;
    return new Finished<grpc::ServerUnaryReactor>(script_.Run(context));
  }
  grpc::ServerReadReactor<grpc::ByteBuffer>* Upload(
      grpc::CallbackServerContext* context,
      grpc::ByteBuffer* response) override {
    const grpc::Slice slice;
    *response = grpc::ByteBuffer(&slice, 1);
    return new Finished<grpc::ServerReadReactor<grpc::ByteBuffer>>(
        script_.Run(context));
  }
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Download(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer*) override {
    return new Finished<grpc::ServerWriteReactor<grpc::ByteBuffer>>(
        script_.Run(context));
  }
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Chat(
      grpc::CallbackServerContext* context) override {
    return new Finished<
        grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>>(
        script_.Run(context));
  }

 private:
  Script& script_;
};

TEST(GuardRegistrationTest, GuardsRawCallbackMethods) {
  Script script;
  RawKinds service(&script);
  ExpectGuarded(&service, &script,
                {Kind::kUnary, Kind::kUpload, Kind::kDownload, Kind::kChat});
}

// A method of each style in one service.
class MixedKinds final
    : public Kinds::WithAsyncMethod_Unary<
          Kinds::WithCallbackMethod_Download<Kinds::Service>> {
 public:
  explicit MixedKinds(Script* script) : script_(*script) {}

  grpc::ServerWriteReactor<Note>* Download(grpc::CallbackServerContext* context,
                                           const Note*) override {
    return new Finished<grpc::ServerWriteReactor<Note>>(script_.Run(context));
  }
  grpc::Status Chat(grpc::ServerContext* context,
                    grpc::ServerReaderWriter<Note, Note>*) override {
    return script_.Run(context);
  }

 private:
  Script& script_;
};

TEST(GuardRegistrationTest, ServesCompletionQueueMethodsBesideGuardedOnes) {
  Script script;
  MixedKinds service(&script);
  std::unique_ptr<grpc::ServerCompletionQueue> queue;
  ServerSetup setup;
  setup.prepare = [&queue](grpc::ServerBuilder& builder) {
    queue = builder.AddCompletionQueue();
  };
  {
    KindsServer server(&service, AllDoomed(), std::move(setup));
    EXPECT_EQ(server.guard().status(), absl::OkStatus());

    grpc::ServerContext context;
    Note request, response;
    grpc::ServerAsyncResponseWriter<Note> writer(&context);
    service.RequestUnary(&context, &request, &writer, queue.get(), queue.get(),
                         &context);
    std::thread serves([&] {
      void* tag;
      bool ok;
      EXPECT_TRUE(queue->Next(&tag, &ok) && ok);
      writer.Finish(response, grpc::Status::OK, &writer);
      EXPECT_TRUE(queue->Next(&tag, &ok) && ok);
    });
    EXPECT_TRUE(server.Call(Kind::kUnary, kMinute).status.ok());
    serves.join();

    for (const Kind kind : {Kind::kDownload, Kind::kChat}) {
      EXPECT_EQ(server.Call(kind, kMinute).status.error_code(),
                grpc::StatusCode::DEADLINE_EXCEEDED);
    }
    EXPECT_EQ(script.entered, 0);
    EXPECT_EQ(server.Call(Kind::kUpload, kMinute).status.error_code(),
              grpc::StatusCode::DEADLINE_EXCEEDED);
    server.server().Shutdown();
    queue->Shutdown();
    void* tag;
    bool ok;
    while (queue->Next(&tag, &ok)) {
    }
  }
  Await([] { return InFlight::Total() == 0; });
}

class SaysNotFound final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext*) override {
    return new Finished<grpc::ServerGenericBidiReactor>(
        grpc::Status(grpc::StatusCode::NOT_FOUND, "generic"));
  }
};

TEST(GuardRegistrationTest, LeavesGenericMethodsToTheGenericService) {
  SaysNotFound generic;
  Kinds::WithGenericMethod_Unary<Kinds::Service> service;
  ServerSetup setup;
  setup.prepare = [&generic](grpc::ServerBuilder& builder) {
    builder.RegisterCallbackGenericService(&generic);
  };
  KindsServer server(&service, AllDoomed(), std::move(setup));
  EXPECT_EQ(server.Call(Kind::kUnary, kMinute).status.error_code(),
            grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(server.Call(Kind::kChat, kMinute).status.error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
