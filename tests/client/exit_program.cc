// A program that ends, one way or another, while its calls wait to be retried.
//
//   exit_program return    main() returns, with channel and calls as they are.
//                exit      exit() is called instead.
//                abandon   Channel and stub go, the calls stay; main() returns.
//                cancel    The channel goes, the calls are cancelled.
#include <grpc/grpc.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <thread>

#include "interceptors/client/channel.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/telemetry/observer.h"
#include "proto/testing/probe.grpc.pb.h"
#include "tests/client/raw_peer.h"

namespace forbear {
namespace testing {
namespace {

constexpr int kCalls = 50;

class WaitCount final : public Observer {
 public:
  void WaitScheduled(const Wait&) override { waits_.fetch_add(1); }
  void Await(int waits) const {
    while (waits_.load() < waits) std::this_thread::yield();
  }

 private:
  std::atomic<int> waits_{0};
};

struct Call {
  grpc::ClientContext context;
  Ask ask;
  Reply reply;
  grpc::Status status;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> queued;
};

// Calls of three stub styles to nobody, each of which waits for an hour.
class Waiting {
 public:
  Waiting() {
    MethodPolicy policy;
    policy.backoff.jitter = Jitter::kNone;
    policy.backoff.initial = absl::Hours(1);
    policy.backoff.max = absl::Hours(1);
    ClientOptions options;
    options.policy = policy;
    RetryBudgetOptions roomy;
    roomy.ceiling = 3 * kCalls;
    options.policy.target_budget = roomy;
    options.process_budget =
        std::make_shared<RetryBudget>(roomy, absl::UnixEpoch());
    const auto waits = std::make_shared<WaitCount>();
    options.observer = waits;
    stub_ = Probe::NewStub(CreateChannel(
        RefusedAddress(), grpc::InsecureChannelCredentials(), options));
    for (int i = 0; i < kCalls; ++i) {
      StartCallback(&calls_.emplace_back());
      StartQueued(&calls_.emplace_back());
      StartSync(&calls_.emplace_back());
    }
    // An event of the queue is a failure first, and then comes back.
    drainer_ = std::thread([this] {
      void* tag;
      bool ok;
      while (queue_.Next(&tag, &ok)) ended_.fetch_add(1);
    });
    waits->Await(3 * kCalls);
  }

  // With the stub. A sync call is a use of its stub: those end before.
  void DropChannel() {
    for (Call* call : sync_) call->context.TryCancel();
    for (std::thread& caller : callers_) caller.join();
    callers_.clear();
    stub_.reset();
  }

  void End() {
    for (Call& call : calls_) call.context.TryCancel();
    queue_.Shutdown();
    drainer_.join();
    while (ended_.load() < 2 * kCalls) std::this_thread::yield();
  }

  void Detach() {
    for (std::thread& caller : callers_) caller.detach();
    callers_.clear();
    drainer_.detach();
  }

 private:
  void StartCallback(Call* call) {
    stub_->async()->Read(&call->context, &call->ask, &call->reply,
                         [this](const grpc::Status&) { ended_.fetch_add(1); });
  }
  void StartQueued(Call* call) {
    call->queued = stub_->AsyncRead(&call->context, call->ask, &queue_);
    call->queued->Finish(&call->reply, &call->status, call);
  }
  void StartSync(Call* call) {
    sync_.push_back(call);
    callers_.emplace_back([call, stub = stub_.get()] {
      stub->Read(&call->context, call->ask, &call->reply);
    });
  }

  grpc::CompletionQueue queue_;
  std::unique_ptr<Probe::Stub> stub_;
  std::deque<Call> calls_;
  std::deque<Call*> sync_;
  std::deque<std::thread> callers_;
  std::thread drainer_;
  std::atomic<int> ended_{0};
};

int Run(const std::string& way) {
  if (way == "cancel") {
    {
      Waiting waiting;
      waiting.DropChannel();
      waiting.End();
    }
    while (grpc_is_initialized() != 0) std::this_thread::yield();
    return InFlight::Total();
  }
  static auto* const waiting = new Waiting;  // Never destroyed.
  if (way == "abandon") waiting->DropChannel();
  waiting->Detach();
  if (way == "exit") std::exit(0);
  return 0;
}

}  // namespace
}  // namespace testing
}  // namespace forbear

int main(int argc, char** argv) {
  return forbear::testing::Run(argc > 1 ? argv[1] : "");
}
