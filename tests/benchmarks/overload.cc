// What is left of a server's capacity when more is asked of it than it can do.
//
//   bazel run -c opt //tests/benchmarks:overload
//   bazel run -c opt //tests/benchmarks:overload -- --json
//   bazel run -c opt //tests/benchmarks:overload -- --fair
//
// A backend of 8 slots of 10 ms, so 800 calls a second; deadlines of 200 ms;
// calls come at random (exponential gaps, a fixed seed), whether or not those
// before were answered, over four connections. Server and clients share one
// process. Plain gRPC and the guard take turns at each load.
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
#include "absl/types/optional.h"
#include "tests/benchmarks/open_loop.h"
#include "tests/benchmarks/slot_server.h"

ABSL_FLAG(bool, json, false, "print JSON instead of a table");
ABSL_FLAG(bool, fair, false,
          "nine callers who obey beside one that hammers, instead");
ABSL_FLAG(double, seconds, 3, "how long each row is measured");
ABSL_FLAG(int, limit, 10,
          "the guard's max_concurrent_calls: 8 that work, and 2 at the ready");
ABSL_FLAG(int, least, 0,
          "the guard's least_concurrent_calls: if not 0, it finds the limit "
          "itself; then give a --limit far off");
ABSL_FLAG(std::vector<std::string>, loads,
          (std::vector<std::string>{"0.75", "2", "5", "10"}),
          "arrivals, in multiples of capacity");
ABSL_FLAG(std::vector<std::string>, modes,
          (std::vector<std::string>{"plain", "guarded"}), "plain, guarded");

namespace forbear {
namespace benchmarks {
namespace {

constexpr absl::Duration kTimeout = absl::Milliseconds(200);
constexpr absl::Duration kWarmUp = absl::Seconds(1);

struct Row {
  const char* style;
  std::string mode;
  double load;
  double goodput;  // Per second.
  int64_t
      runs;  // The warm-up's as well: each ends in an answer, or for nobody.
  double wasted_share;
  absl::Duration p50, p99;
};

ServerOptions Guarded() {
  ServerOptions options;
  options.max_concurrent_calls = absl::GetFlag(FLAGS_limit);
  options.least_concurrent_calls = absl::GetFlag(FLAGS_least);
  return options;
}

Row Measure(HandlerStyle style, const std::string& mode, double load) {
  const absl::Duration window = absl::Seconds(absl::GetFlag(FLAGS_seconds));
  SlotServer server(style, mode == "guarded" ? absl::make_optional(Guarded())
                                             : absl::nullopt);
  OpenLoop calls(server.address(), 4, load * kCapacity, kTimeout, 7);
  calls.Run(kWarmUp, window);
  Row row{StyleName(style), mode, load, 0, server.runs(), 0, {}, {}};
  row.goodput =
      static_cast<double>(calls.good()) / absl::ToDoubleSeconds(window);
  if (row.runs > 0) {
    row.wasted_share = static_cast<double>(row.runs - calls.answered()) /
                       static_cast<double>(row.runs);
  }
  row.p50 = calls.Percentile(0.5);
  row.p99 = calls.Percentile(0.99);
  return row;
}

// Where nothing was answered, nothing took any time: JSON has no infinity.
std::string Ms(absl::Duration time, const char* none) {
  return time == absl::InfiniteDuration()
             ? none
             : absl::StrFormat("%.1f", absl::ToDoubleMilliseconds(time));
}

std::string Json(const Row& row) {
  return absl::StrFormat(
      R"({"style": "%s", "mode": "%s", "load": %g, "capacity_per_s": %d, )"
      R"("goodput_per_s": %.1f, "handlers_run": %d, "wasted_share": %.4f, )"
      R"("p50_ms": %s, "p99_ms": %s})",
      row.style, row.mode, row.load, kCapacity, row.goodput, row.runs,
      row.wasted_share, Ms(row.p50, "null"), Ms(row.p99, "null"));
}

void Overload(bool json) {
  std::vector<std::string> rows;
  if (!json) {
    std::puts(
        "| style | mode | load | goodput | of capacity | handlers run | for "
        "nobody | p50 | p99 |\n|---|---|---|---|---|---|---|---|---|");
  }
  for (const HandlerStyle style : kHandlerStyles) {
    for (const std::string& load : absl::GetFlag(FLAGS_loads)) {
      for (const std::string& mode : absl::GetFlag(FLAGS_modes)) {
        const Row row = Measure(style, mode, std::stod(load));
        rows.push_back(Json(row));
        if (json) continue;
        absl::PrintF(
            "| %s | %s | %gx | %.0f/s | %.1f %% | %d | %.2f %% | %s ms | "
            "%s ms |\n",
            row.style, row.mode, row.load, row.goodput,
            100 * row.goodput / kCapacity, row.runs, 100 * row.wasted_share,
            Ms(row.p50, "-"), Ms(row.p99, "-"));
        std::fflush(stdout);
      }
    }
  }
  if (json) absl::PrintF("[%s]\n", absl::StrJoin(rows, ",\n "));
}

// Nine callers who together ask for three quarters of the capacity, and what
// they get of it, alone or beside one who asks for five times all of it.
double GoodputOfNine(HandlerStyle style, bool beside_one_who_hammers) {
  ServerOptions options = Guarded();
  // All are on one machine: a connection is a caller here.
  options.caller_of = [](const Peer& peer) {
    return std::string(peer.address);
  };
  SlotServer server(style, options);
  const absl::Duration window = absl::Seconds(absl::GetFlag(FLAGS_seconds));
  std::vector<std::unique_ptr<OpenLoop>> nine;
  for (uint64_t i = 0; i < 9; ++i) {
    nine.push_back(std::make_unique<OpenLoop>(
        server.address(), 1, 0.75 * kCapacity / 9, kTimeout, i));
  }
  OpenLoop hammer(server.address(), 1, 5.0 * kCapacity, kTimeout, 9);
  std::vector<std::thread> threads;
  for (auto& caller : nine) {
    threads.emplace_back([&] { caller->Run(kWarmUp, window); });
  }
  if (beside_one_who_hammers) hammer.Run(kWarmUp, window);
  for (auto& thread : threads) thread.join();
  int64_t good = 0;
  for (auto& caller : nine) good += caller->good();
  return static_cast<double>(good) / absl::ToDoubleSeconds(window);
}

void Fair(bool json) {
  std::vector<std::string> rows;
  if (!json) {
    std::puts(
        "| style | nine alone | beside one at 5x | kept |\n|---|---|---|---|");
  }
  for (const HandlerStyle style : kHandlerStyles) {
    const double alone = GoodputOfNine(style, false);
    const double beside = GoodputOfNine(style, true);
    rows.push_back(absl::StrFormat(
        R"({"style": "%s", "alone_per_s": %.1f, "beside_per_s": %.1f, )"
        R"("kept_share": %.4f})",
        StyleName(style), alone, beside, beside / alone));
    if (json) continue;
    absl::PrintF("| %s | %.0f/s | %.0f/s | %.1f %% |\n", StyleName(style),
                 alone, beside, 100 * beside / alone);
  }
  if (json) absl::PrintF("[%s]\n", absl::StrJoin(rows, ",\n "));
}

}  // namespace
}  // namespace benchmarks
}  // namespace forbear

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("Overload, plain and guarded.");
  absl::ParseCommandLine(argc, argv);
  const bool json = absl::GetFlag(FLAGS_json);
  if (absl::GetFlag(FLAGS_fair)) {
    forbear::benchmarks::Fair(json);
  } else {
    forbear::benchmarks::Overload(json);
  }
}
