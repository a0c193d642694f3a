#include "tests/client/probe_call.h"

#include <grpcpp/completion_queue.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_callback.h>

#include <future>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace forbear {
namespace testing {
namespace {

class Reactor final : public grpc::ClientUnaryReactor {
 public:
  void OnDone(const grpc::Status& status) override { done_.set_value(status); }
  grpc::Status Await() { return done_.get_future().get(); }

 private:
  std::promise<grpc::Status> done_;
};

void CallQueued(Probe::Stub& stub, bool in_two, ProbeMethod method,
                grpc::ClientContext* context, std::unique_ptr<Ask> ask,
                ProbeResult* result) {
  grpc::CompletionQueue queue;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> call;
  switch (method) {
    case ProbeMethod::kRead:
      call = stub.AsyncRead(context, *ask, &queue);
      break;
    case ProbeMethod::kPut:
      call = stub.AsyncPut(context, *ask, &queue);
      break;
    case ProbeMethod::kCharge:
      call = stub.AsyncCharge(context, *ask, &queue);
      break;
  }
  ask.reset();
  void* tag = nullptr;
  bool ok = false;
  if (in_two) {
    call->ReadInitialMetadata(&queue);
    queue.Next(&tag, &ok);
  }
  call->Finish(&result->reply, &result->status, call.get());
  queue.Shutdown();  // What is under way still comes.
  while (queue.Next(&tag, &ok)) {
    EXPECT_EQ(tag, call.get());
    EXPECT_TRUE(ok);
    tag = nullptr;
  }
}

const char* NameOf(ProbeMethod method) {
  switch (method) {
    case ProbeMethod::kRead:
      return "/forbear.testing.Probe/Read";
    case ProbeMethod::kPut:
      return "/forbear.testing.Probe/Put";
    case ProbeMethod::kCharge:
      return "/forbear.testing.Probe/Charge";
  }
  return "";
}

ProbeResult CallGeneric(grpc::GenericStub& stub, StubStyle style,
                        ProbeMethod method, grpc::ClientContext* context,
                        const std::string& text) {
  ProbeResult result;
  Ask ask;
  ask.set_text(text);
  const grpc::Slice slice(ask.SerializeAsString());
  auto request = std::make_unique<grpc::ByteBuffer>(&slice, 1);
  grpc::ByteBuffer reply;
  if (style == StubStyle::kGenericQueue) {
    grpc::CompletionQueue queue;
    const auto call =
        stub.PrepareUnaryCall(context, NameOf(method), *request, &queue);
    request.reset();
    call->StartCall();
    call->Finish(&reply, &result.status, call.get());
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    EXPECT_EQ(tag, call.get());
    EXPECT_TRUE(ok);
  } else {
    std::promise<grpc::Status> done;
    stub.UnaryCall(context, NameOf(method), {}, request.get(), &reply,
                   [&done](grpc::Status s) { done.set_value(s); });
    request.reset();
    result.status = done.get_future().get();
  }
  // A generic stub says OK of a call that had no answer, too.
  if (!result.status.ok() || !reply.Valid()) return result;
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(reply.Dump(&slices).ok());
  std::string wire;
  for (const grpc::Slice& part : slices) {
    wire.append(reinterpret_cast<const char*>(part.begin()), part.size());
  }
  EXPECT_TRUE(result.reply.ParseFromString(wire));
  return result;
}

}  // namespace

std::string StyleName(StubStyle style) {
  switch (style) {
    case StubStyle::kSync:
      return "Sync";
    case StubStyle::kCallback:
      return "Callback";
    case StubStyle::kReactor:
      return "Reactor";
    case StubStyle::kQueue:
      return "Queue";
    case StubStyle::kQueueInTwo:
      return "QueueInTwo";
    case StubStyle::kGenericQueue:
      return "GenericQueue";
    case StubStyle::kGenericCallback:
      return "GenericCallback";
  }
  return "";
}

ProbeResult Call(ProbeStub& stubs, StubStyle style, ProbeMethod method,
                 grpc::ClientContext* context, const std::string& text) {
  if (style == StubStyle::kGenericQueue ||
      style == StubStyle::kGenericCallback) {
    return CallGeneric(stubs.generic, style, method, context, text);
  }
  Probe::Stub& stub = stubs.typed;
  ProbeResult result;
  // Freed once the call has started: a stub need not keep it longer.
  auto ask = std::make_unique<Ask>();
  ask->set_text(text);
  if (style == StubStyle::kSync) {
    switch (method) {
      case ProbeMethod::kRead:
        result.status = stub.Read(context, *ask, &result.reply);
        break;
      case ProbeMethod::kPut:
        result.status = stub.Put(context, *ask, &result.reply);
        break;
      case ProbeMethod::kCharge:
        result.status = stub.Charge(context, *ask, &result.reply);
        break;
    }
    return result;
  }
  if (style == StubStyle::kQueue || style == StubStyle::kQueueInTwo) {
    CallQueued(stub, style == StubStyle::kQueueInTwo, method, context,
               std::move(ask), &result);
    return result;
  }
  auto* const async = stub.async();
  if (style == StubStyle::kCallback) {
    std::promise<grpc::Status> done;
    const auto on_done = [&done](const grpc::Status& s) { done.set_value(s); };
    switch (method) {
      case ProbeMethod::kRead:
        async->Read(context, ask.get(), &result.reply, on_done);
        break;
      case ProbeMethod::kPut:
        async->Put(context, ask.get(), &result.reply, on_done);
        break;
      case ProbeMethod::kCharge:
        async->Charge(context, ask.get(), &result.reply, on_done);
        break;
    }
    ask.reset();
    result.status = done.get_future().get();
    return result;
  }
  Reactor reactor;
  switch (method) {
    case ProbeMethod::kRead:
      async->Read(context, ask.get(), &result.reply, &reactor);
      break;
    case ProbeMethod::kPut:
      async->Put(context, ask.get(), &result.reply, &reactor);
      break;
    case ProbeMethod::kCharge:
      async->Charge(context, ask.get(), &result.reply, &reactor);
      break;
  }
  reactor.StartCall();
  ask.reset();
  result.status = reactor.Await();
  return result;
}

}  // namespace testing
}  // namespace forbear
