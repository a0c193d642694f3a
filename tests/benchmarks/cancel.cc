// How soon work ends whose caller has gone.
//
//   bazel run -c opt //tests/benchmarks:cancel
//   bazel run -c opt //tests/benchmarks:cancel -- --json
//
// A client, three guarded services and a server at the bottom that never
// answers, in one process on real sockets. The client cancels, or its deadline
// passes; measured is how long after that the last handler, call, attempt and
// timer made for it has ended, in all of them. No handler says a word about
// deadlines or cancellation.
#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "interceptors/client/channel.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/probe_call.h"
#include "tests/end_to_end/relay.h"

ABSL_FLAG(bool, json, false, "print JSON instead of a table");
ABSL_FLAG(int, runs, 100, "calls of each row");

namespace forbear {
namespace benchmarks {
namespace {

using testing::Answer;
using testing::HandlerStyle;

// What the lowest service does when its caller goes.
enum class Doing { kAttempt, kHedges, kBackoff };
// How its caller goes.
enum class Gone { kCancelled, kDeadline };

const char* NameOf(Doing doing) {
  return doing == Doing::kAttempt  ? "attempt"
         : doing == Doing::kHedges ? "hedges"
                                   : "backoff";
}

MethodPolicy PolicyFor(Doing doing) {
  MethodPolicy policy;
  policy.backoff.jitter = Jitter::kNone;
  policy.backoff.initial = absl::Hours(1);
  policy.backoff.max = absl::Hours(1);
  if (doing == Doing::kHedges) {
    policy.hedging.max_attempts = 2;
    policy.hedging.delay = absl::Milliseconds(1);
    policy.hedging.cap = 1;
  }
  return policy;
}

class Chain {
 public:
  Chain(HandlerStyle style, Doing doing) : doing_(doing) {
    testing::Relay::Options options;
    options.style = style;
    options.client.policy = PolicyFor(doing);
    options.client.policy.target_budget.ceiling = 1e6;
    options.client.process_budget = std::make_shared<RetryBudget>(
        options.client.policy.target_budget, SteadyNow());
    std::string address = bottom_.address();
    for (int i = 0; i < 3; ++i) {
      relays_.push_back(std::make_unique<testing::Relay>(address, options));
      address = relays_.back()->address();
      // Those above only ask.
      options.client.policy.methods = PolicyFor(Doing::kAttempt);
    }
    stub_ = testing::ProbeStub::New(CreateChannel(
        address, grpc::InsecureChannelCredentials(), options.client));
    bottom_.Script({doing == Doing::kBackoff
                        ? Answer::Fails(grpc::StatusCode::UNAVAILABLE, "down")
                        : Answer::Hangs()});
  }

  ~Chain() {
    stub_.reset();
    while (!relays_.empty()) relays_.pop_back();
  }

  // How long all of it lasts after its caller has gone.
  absl::Duration Once(Gone gone) {
    constexpr absl::Duration kTimeout = absl::Milliseconds(100);
    auto context = std::make_unique<grpc::ClientContext>();
    if (gone == Gone::kDeadline) {
      const timespec timeout = absl::ToTimespec(kTimeout);
      context->set_deadline(gpr_timespec{
          timeout.tv_sec, static_cast<int32_t>(timeout.tv_nsec), GPR_TIMESPAN});
    }
    const size_t before = bottom_.arrivals().size();
    const absl::Time begin = SteadyNow();
    std::thread caller([&] {
      testing::Call(*stub_, testing::StubStyle::kSync,
                    testing::ProbeMethod::kRead, context.get());
    });
    absl::Time since = begin + kTimeout;
    if (gone == Gone::kCancelled) {
      AwaitWork(before);
      since = SteadyNow();
      context->TryCancel();
    }
    caller.join();
    context.reset();
    bottom_.AwaitIdle();
    while (InFlight::Total() != 0) std::this_thread::yield();
    return SteadyNow() - since;
  }

 private:
  void AwaitWork(size_t before) const {
    bottom_.AwaitArrivals(before + (doing_ == Doing::kHedges ? 2 : 1));
    while (doing_ == Doing::kBackoff &&
           InFlight::Count(InFlight::kAlarm) == 0) {
      std::this_thread::yield();
    }
  }

  const Doing doing_;
  testing::ScriptedServer bottom_;
  std::vector<std::unique_ptr<testing::Relay>> relays_;
  std::unique_ptr<testing::ProbeStub> stub_;
};

struct Row {
  const char* handlers;
  const char* doing;
  const char* by;
  double p50, p99, most;  // Milliseconds.
};

Row Measure(HandlerStyle style, Doing doing, Gone gone) {
  Chain chain(style, doing);
  chain.Once(gone);  // Connects.
  std::vector<double> took;
  for (int i = 0; i < absl::GetFlag(FLAGS_runs); ++i) {
    took.push_back(absl::ToDoubleMilliseconds(chain.Once(gone)));
  }
  std::sort(took.begin(), took.end());
  const auto at = [&](double share) {
    return took[static_cast<size_t>(share *
                                    static_cast<double>(took.size() - 1))];
  };
  return {style == HandlerStyle::kSync ? "sync" : "callback",
          NameOf(doing),
          gone == Gone::kCancelled ? "cancellation" : "deadline",
          at(0.5),
          at(0.99),
          took.back()};
}

std::string Json(const Row& row) {
  return absl::StrFormat(
      R"({"handlers": "%s", "doing": "%s", "by": "%s", "p50_ms": %.2f, )"
      R"("p99_ms": %.2f, "max_ms": %.2f})",
      row.handlers, row.doing, row.by, row.p50, row.p99, row.most);
}

void Cancel(bool json) {
  std::vector<std::string> rows;
  if (!json) {
    std::puts(
        "| handlers | doing | ended by | p50 | p99 | max |\n"
        "|---|---|---|---|---|---|");
  }
  for (const HandlerStyle style :
       {HandlerStyle::kSync, HandlerStyle::kCallback}) {
    for (const Doing doing :
         {Doing::kAttempt, Doing::kHedges, Doing::kBackoff}) {
      for (const Gone gone : {Gone::kCancelled, Gone::kDeadline}) {
        // No wait is begun that would outlast the deadline.
        if (doing == Doing::kBackoff && gone == Gone::kDeadline) continue;
        const Row row = Measure(style, doing, gone);
        rows.push_back(Json(row));
        if (json) continue;
        absl::PrintF("| %s | %s | %s | %.1f ms | %.1f ms | %.1f ms |\n",
                     row.handlers, row.doing, row.by, row.p50, row.p99,
                     row.most);
        std::fflush(stdout);
      }
    }
  }
  if (json) absl::PrintF("[%s]\n", absl::StrJoin(rows, ",\n "));
}

}  // namespace
}  // namespace benchmarks
}  // namespace forbear

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("How soon work ends whose caller has gone.");
  absl::ParseCommandLine(argc, argv);
  forbear::benchmarks::Cancel(absl::GetFlag(FLAGS_json));
}
