#include "tests/benchmarks/waiting.h"

#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>
#include <malloc.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/client/channel.h"
#include "interceptors/context/clock.h"

namespace forbear {
namespace benchmarks {
namespace {

using testing::Ask;
using testing::Probe;
using testing::Reply;

constexpr int kCalls = 1000;

double HeapBytes() { return static_cast<double>(mallinfo2().uordblks); }

// Counts up, and waits until enough has been counted.
class Tally {
 public:
  void Add() {
    std::lock_guard<std::mutex> lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void Await(int count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return count_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

class Waits final : public Observer {
 public:
  void WaitScheduled(const Wait&) override { tally.Add(); }
  Tally tally;
};

// As many calls; what is its user's own does not count.
struct Calls {
  Calls() : contexts(kCalls), replies(kCalls) {
    ask.set_text(std::string(64, 'x'));
    for (auto& context : contexts) {
      context = std::make_unique<grpc::ClientContext>();
    }
  }
  Ask ask;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<Reply> replies;
  Tally ended;
};

}  // namespace

double BytesInFlight(const Echo& echo, const Stubs& stubs) {
  double bytes = 0;
  for (const bool warm : {false, true}) {
    Calls calls;
    const double before = HeapBytes();
    for (int i = 0; i < kCalls; ++i) {
      stubs.unary->async()->Put(
          calls.contexts[i].get(), &calls.ask, &calls.replies[i],
          [&calls](const grpc::Status&) { calls.ended.Add(); });
    }
    echo.AwaitPuts(kCalls);
    if (warm) bytes = (HeapBytes() - before) / kCalls;
    echo.ReleasePuts();
    calls.ended.Await(kCalls);
  }
  return bytes;
}

double BytesInBackoff(const Echo& echo) {
  const auto waits = std::make_shared<Waits>();
  MethodPolicy patient;
  patient.repeatable = Repeatable::kYes;
  patient.backoff.jitter = Jitter::kNone;
  patient.backoff.initial = absl::Hours(1);
  patient.backoff.max = absl::Hours(1);
  ClientOptions options;
  options.policy = patient;
  options.observer = waits;
  options.policy.target_budget.ceiling = 2 * kCalls;
  options.process_budget =
      std::make_shared<RetryBudget>(options.policy.target_budget, SteadyNow());
  options.arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Another name for the server: its bucket is not that of other channels.
  const auto stub = Probe::NewStub(CreateChannel(
      "ipv4:" + echo.address(), grpc::InsecureChannelCredentials(), options));
  double bytes = 0;
  for (const int waiting : {kCalls, 2 * kCalls}) {
    Calls calls;
    const double before = HeapBytes();
    for (int i = 0; i < kCalls; ++i) {
      stub->async()->Charge(
          calls.contexts[i].get(), &calls.ask, &calls.replies[i],
          [&calls](const grpc::Status&) { calls.ended.Add(); });
    }
    waits->tally.Await(waiting);
    bytes = (HeapBytes() - before) / kCalls;  // The second time, warm.
    for (const auto& context : calls.contexts) context->TryCancel();
    calls.ended.Await(kCalls);
  }
  return bytes;
}

}  // namespace benchmarks
}  // namespace forbear
