#include "tests/client/probe_call.h"

#include <grpcpp/support/client_callback.h>

#include <future>

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

}  // namespace

std::string StyleName(StubStyle style) {
  switch (style) {
    case StubStyle::kSync:
      return "Sync";
    case StubStyle::kCallback:
      return "Callback";
    case StubStyle::kReactor:
      return "Reactor";
  }
  return "";
}

ProbeResult Call(Probe::Stub& stub, StubStyle style, ProbeMethod method,
                 grpc::ClientContext* context, const std::string& text) {
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
