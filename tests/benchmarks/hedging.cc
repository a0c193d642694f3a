// What hedging buys, and what it costs: the tail of a call whose server is slow
// for one answer in twenty, with and without hedges, and the load they add.
//
//   bazel run -c opt //tests/benchmarks:hedging
//
// Calls with and without hedges take turns on one server. An answer takes 2 ms,
// or 50 ms, whichever attempt it is for. What is printed are the 50th, 95th and
// 99th percentile, and how many attempts the server saw per call.
#include <grpcpp/alarm.h>
#include <grpcpp/client_context.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/server_callback.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "interceptors/client/channel.h"
#include "interceptors/client/grpc_time.h"
#include "interceptors/context/clock.h"
#include "interceptors/testing/split_mix64.h"
#include "proto/testing/probe.grpc.pb.h"

ABSL_FLAG(int, calls, 3000, "calls of each kind");
ABSL_FLAG(double, slow, 0.05, "the fraction of answers that are slow");

namespace forbear {
namespace benchmarks {
namespace {

using testing::Ask;
using testing::Probe;
using testing::Reply;

// Answers later, and sometimes much later.
class Uneven final : public Probe::CallbackService {
 public:
  int attempts() const { return attempts_; }

 private:
  class Reactor final : public grpc::ServerUnaryReactor {
   public:
    explicit Reactor(absl::Duration latency) {
      alarm_.Set(ToGrpc(SteadyNow() + latency),
                 [this](bool) { Finish(grpc::Status::OK); });
    }
    void OnDone() override { delete this; }

   private:
    grpc::Alarm alarm_;
  };

  grpc::ServerUnaryReactor* Read(grpc::CallbackServerContext*, const Ask*,
                                 Reply*) override {
    SplitMix64 draw(static_cast<uint64_t>(++attempts_));
    const bool slow =
        static_cast<double>(draw() % 1000) < absl::GetFlag(FLAGS_slow) * 1000;
    return new Reactor(absl::Milliseconds(slow ? 50 : 2));
  }

  std::atomic<int> attempts_{0};
};

struct Side {
  const char* name;
  std::unique_ptr<Probe::Stub> stub;
  std::vector<absl::Duration> latencies;
  int attempts = 0;
};

Side Connect(const char* name, const std::string& target,
             const HedgingOptions& hedging) {
  MethodPolicy policy;
  policy.hedging = hedging;
  ClientOptions options;
  options.policy = policy;
  options.arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return {name,
          Probe::NewStub(CreateChannel(
              target, grpc::InsecureChannelCredentials(), options)),
          {},
          0};
}

void CallOnce(const Uneven& service, Side* side) {
  grpc::ClientContext context;
  Reply reply;
  const int before = service.attempts();
  const absl::Time start = SteadyNow();
  const grpc::Status status = side->stub->Read(&context, Ask(), &reply);
  side->latencies.push_back(SteadyNow() - start);
  side->attempts += service.attempts() - before;
  if (status.ok()) return;
  std::fprintf(stderr, "a call failed: %s\n", status.error_message().c_str());
  std::exit(1);
}

double Millis(const Side& side, double fraction) {
  const size_t count = side.latencies.size();
  const size_t index =
      std::min(count - 1, static_cast<size_t>(fraction * count));
  return absl::ToDoubleMilliseconds(side.latencies[index]);
}

int Main() {
  Uneven service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const std::string address = absl::StrCat("127.0.0.1:", port);
  std::vector<Side> sides;
  // Each under another name for the server, and so with a budget of its own.
  HedgingOptions hedging;
  sides.push_back(Connect("none", address, hedging));
  hedging.max_attempts = 2;
  hedging.delay = absl::Milliseconds(10);
  sides.push_back(
      Connect("10 ms, cap 5 %", absl::StrCat("ipv4:", address), hedging));
  hedging.cap = 0.1;
  sides.push_back(
      Connect("10 ms, cap 10 %", absl::StrCat("dns:", address), hedging));
  hedging.delay = absl::Milliseconds(5);
  hedging.percentile = 0.9;
  sides.push_back(
      Connect("p90, cap 10 %", absl::StrCat("dns:///", address), hedging));
  const int calls = absl::GetFlag(FLAGS_calls);
  for (int i = 0; i < calls; ++i) {
    for (Side& side : sides) CallOnce(service, &side);
  }
  absl::PrintF("%-16s %9s %9s %9s %12s %18s\n", "hedges", "p50 ms", "p95 ms",
               "p99 ms", "p99 vs none", "attempts per call");
  for (Side& side : sides) {
    std::sort(side.latencies.begin(), side.latencies.end());
    absl::PrintF("%-16s %9.1f %9.1f %9.1f %12.2f %18.3f\n", side.name,
                 Millis(side, 0.5), Millis(side, 0.95), Millis(side, 0.99),
                 Millis(side, 0.99) / Millis(sides[0], 0.99),
                 static_cast<double>(side.attempts) / calls);
  }
  server->Shutdown();
  server->Wait();
  return 0;
}

}  // namespace
}  // namespace benchmarks
}  // namespace forbear

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("measures what hedging buys; see the source");
  absl::ParseCommandLine(argc, argv);
  return forbear::benchmarks::Main();
}
