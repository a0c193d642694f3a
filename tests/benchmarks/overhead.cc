// What a successful unary call costs, compared with a plain channel and with
// gRPC's own retryPolicy.
//
//   bazel run -c opt //tests/benchmarks:overhead
//   bazel run -c opt //tests/benchmarks:overhead -- --json
//
// All channels are measured in turns, in one process, against one server, and
// each is compared with the others of the same turn: what is printed is the
// median of those ratios. Client and server are counted together. For figures
// that repeat exactly, see instructions.sh beside this file.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/benchmarks/echo.h"
#include "tests/benchmarks/heap_count.h"

ABSL_FLAG(bool, json, false, "print JSON instead of a table");
ABSL_FLAG(int, turns, 31, "how often each channel is measured");
ABSL_FLAG(int, calls, 400, "calls in a turn");
ABSL_FLAG(std::string, only, "",
          "make --calls calls on one channel, such as forbear.sync, with 64 "
          "bytes, and print nothing: to be counted from outside");

namespace forbear {
namespace benchmarks {
namespace {

using Stubs = std::map<Variant, std::unique_ptr<testing::Probe::Stub>>;

struct Cost {
  double cpu = 0;   // Seconds of this process.
  double wall = 0;  // Seconds.
  double allocations = 0;
};

double Seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

Cost Measure(testing::Probe::Stub& stub, Style style, int calls, int bytes) {
  Cost cost;
  const int64_t allocations = Allocations();
  const double cpu = Seconds(CLOCK_PROCESS_CPUTIME_ID);
  const double wall = Seconds(CLOCK_MONOTONIC);
  MakeCalls(stub, style, calls, bytes);
  cost.wall = Seconds(CLOCK_MONOTONIC) - wall;
  cost.cpu = Seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  cost.allocations = static_cast<double>(Allocations() - allocations) / calls;
  return cost;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The median, over the turns, of `measure` of one channel over another's.
double Ratio(const std::map<Variant, std::vector<Cost>>& costs, Variant of,
             Variant to, double Cost::*measure) {
  std::vector<double> ratios;
  for (size_t turn = 0; turn < costs.at(of).size(); ++turn) {
    ratios.push_back(costs.at(of)[turn].*measure /
                     (costs.at(to)[turn].*measure));
  }
  return Median(std::move(ratios));
}

std::map<Variant, std::vector<Cost>> TakeTurns(const Stubs& stubs, Style style,
                                               int bytes) {
  const int calls = absl::GetFlag(FLAGS_calls);
  std::map<Variant, std::vector<Cost>> costs;
  for (const auto& [variant, stub] : stubs) {
    MakeCalls(*stub, style, calls, bytes);  // Warms up.
  }
  for (int turn = 0; turn < absl::GetFlag(FLAGS_turns); ++turn) {
    // Another order in each turn, so that no channel always comes first.
    for (size_t i = 0; i < std::size(kVariants); ++i) {
      const Variant variant = kVariants[(i + turn) % std::size(kVariants)];
      costs[variant].push_back(
          Measure(*stubs.at(variant), style, calls, bytes));
    }
  }
  return costs;
}

std::string Report(const Stubs& stubs) {
  const bool json = absl::GetFlag(FLAGS_json);
  std::string styles;
  if (!json) {
    absl::PrintF("%d turns of %d calls each; medians of paired ratios\n",
                 absl::GetFlag(FLAGS_turns), absl::GetFlag(FLAGS_calls));
    absl::PrintF("%-9s %5s  %-12s %12s %13s %18s %11s\n", "stub", "bytes",
                 "channel", "cpu_vs_plain", "wall_vs_plain",
                 "cpu_vs_core_retry", "allocations");
  }
  for (const Style style : kStyles) {
    std::string sizes;
    for (const int bytes : {64, 4096}) {
      const auto costs = TakeTurns(stubs, style, bytes);
      for (const Variant variant : kVariants) {
        std::vector<double> allocations;
        for (const Cost& cost : costs.at(variant)) {
          allocations.push_back(cost.allocations);
        }
        const double cpu = Ratio(costs, variant, Variant::kPlain, &Cost::cpu);
        const double wall = Ratio(costs, variant, Variant::kPlain, &Cost::wall);
        const double core =
            Ratio(costs, variant, Variant::kCoreRetry, &Cost::cpu);
        if (!json) {
          absl::PrintF("%-9s %5d  %-12s %12.3f %13.3f %18.3f %11.1f\n",
                       StyleName(style), bytes, VariantName(variant), cpu, wall,
                       core, Median(allocations));
        } else if (variant == Variant::kForbear) {
          absl::StrAppend(
              &sizes, sizes.empty() ? "" : ", ",
              absl::StrFormat("\"%d\": {\"cpu_vs_plain\": %.4f, "
                              "\"wall_vs_plain\": %.4f, "
                              "\"cpu_vs_core_retry\": %.4f, "
                              "\"allocations\": %.1f}",
                              bytes, cpu, wall, core, Median(allocations)));
        }
      }
    }
    absl::StrAppend(&styles, styles.empty() ? "" : ", ", "\"", StyleName(style),
                    "\": {", sizes, "}");
  }
  return absl::StrCat("{\"unary\": {", styles, "}}");
}

// Makes the calls that --only names; false if it names none.
bool RunOnly(const Echo& echo, const std::string& only) {
  for (const Variant variant : kVariants) {
    for (const Style style : kStyles) {
      if (only != absl::StrCat(VariantName(variant), ".", StyleName(style))) {
        continue;
      }
      MakeCalls(*echo.Connect(variant), style, absl::GetFlag(FLAGS_calls), 64);
      return true;
    }
  }
  return false;
}

int Main() {
  const Echo echo;
  const std::string only = absl::GetFlag(FLAGS_only);
  if (!only.empty()) {
    if (RunOnly(echo, only)) return 0;
    std::fprintf(stderr,
                 "--only: '%s' is not {plain,interceptor,core_retry,forbear}."
                 "{sync,callback}\n",
                 only.c_str());
    return 2;
  }
  if (absl::GetFlag(FLAGS_turns) < 1 || absl::GetFlag(FLAGS_calls) < 1) {
    std::fprintf(stderr, "--turns and --calls: must be 1 or more\n");
    return 2;
  }
  Stubs stubs;
  for (const Variant variant : kVariants) {
    stubs[variant] = echo.Connect(variant);
  }
  const std::string json = Report(stubs);
  if (absl::GetFlag(FLAGS_json)) std::puts(json.c_str());
  return 0;
}

}  // namespace
}  // namespace benchmarks
}  // namespace forbear

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("measures what a call costs; see the source");
  absl::ParseCommandLine(argc, argv);
  return forbear::benchmarks::Main();
}
