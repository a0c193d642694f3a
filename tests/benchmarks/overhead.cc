// What a successful call costs, and a message of a stream, compared with a
// plain channel and with gRPC's own retryPolicy.
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
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tests/benchmarks/echo.h"
#include "tests/benchmarks/heap_count.h"
#include "tests/benchmarks/waiting.h"

ABSL_FLAG(bool, json, false, "print JSON instead of a table");
ABSL_FLAG(int, turns, 31, "how often each channel is measured");
ABSL_FLAG(int, calls, 400, "calls in a turn");
ABSL_FLAG(std::string, only, "",
          "make --calls calls on one channel, such as forbear.sync, with 64 "
          "bytes, and print nothing: to be counted from outside");

namespace forbear {
namespace benchmarks {
namespace {

using Channels = std::map<Variant, Stubs>;

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

Cost Measure(const Stubs& stubs, Style style, int calls, int bytes) {
  Cost cost;
  const int64_t allocations = Allocations();
  const double cpu = Seconds(CLOCK_PROCESS_CPUTIME_ID);
  const double wall = Seconds(CLOCK_MONOTONIC);
  MakeCalls(stubs, style, calls, bytes);
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

std::map<Variant, std::vector<Cost>> TakeTurns(const Channels& channels,
                                               Style style, int bytes) {
  const int calls = style == Style::kStream ? 1000 : absl::GetFlag(FLAGS_calls);
  std::map<Variant, std::vector<Cost>> costs;
  for (const auto& [variant, stubs] : channels) {
    MakeCalls(stubs, style, calls, bytes);  // Warms up.
  }
  for (int turn = 0; turn < absl::GetFlag(FLAGS_turns); ++turn) {
    // Another order in each turn, so that no channel always comes first.
    for (size_t i = 0; i < std::size(kVariants); ++i) {
      const Variant variant = kVariants[(i + turn) % std::size(kVariants)];
      costs[variant].push_back(
          Measure(channels.at(variant), style, calls, bytes));
    }
  }
  return costs;
}

// Measures and prints one row per channel; returns ours as JSON.
std::string Compare(const Channels& channels, Style style, int bytes) {
  const auto costs = TakeTurns(channels, style, bytes);
  std::string ours;
  for (const Variant variant : kVariants) {
    std::vector<double> allocations;
    for (const Cost& cost : costs.at(variant)) {
      allocations.push_back(cost.allocations);
    }
    const double cpu = Ratio(costs, variant, Variant::kPlain, &Cost::cpu);
    const double wall = Ratio(costs, variant, Variant::kPlain, &Cost::wall);
    const double core = Ratio(costs, variant, Variant::kCoreRetry, &Cost::cpu);
    if (!absl::GetFlag(FLAGS_json)) {
      absl::PrintF("%-9s %5d  %-12s %12.3f %13.3f %18.3f %11.1f\n",
                   StyleName(style), bytes, VariantName(variant), cpu, wall,
                   core, Median(allocations));
    }
    ours = absl::StrFormat(
        "{\"cpu_vs_plain\": %.4f, \"wall_vs_plain\": %.4f, "
        "\"cpu_vs_core_retry\": %.4f, \"allocations\": %.1f}",
        cpu, wall, core, Median(allocations));
  }
  static_assert(*std::prev(std::end(kVariants)) == Variant::kForbear,
                "the last is ours");
  return ours;
}

std::string CompareAll(const Channels& channels) {
  if (!absl::GetFlag(FLAGS_json)) {
    absl::PrintF(
        "%d turns of %d calls, or 1000 messages; medians of paired "
        "ratios\n",
        absl::GetFlag(FLAGS_turns), absl::GetFlag(FLAGS_calls));
    absl::PrintF("%-9s %5s  %-12s %12s %13s %18s %11s\n", "stub", "bytes",
                 "channel", "cpu_vs_plain", "wall_vs_plain",
                 "cpu_vs_core_retry", "allocations");
  }
  std::vector<std::string> styles;
  for (const Style style : {Style::kSync, Style::kCallback, Style::kQueue}) {
    const std::string small = Compare(channels, style, 64);
    const std::string large = Compare(channels, style, 4096);
    styles.push_back(absl::StrFormat("\"%s\": {\"64\": %s, \"4096\": %s}",
                                     StyleName(style), small, large));
  }
  const std::string stream = Compare(channels, Style::kStream, 64);
  return absl::StrFormat("\"unary\": {%s}, \"stream\": %s",
                         absl::StrJoin(styles, ", "), stream);
}

std::string WeighAll(const Echo& echo, const Channels& channels) {
  std::vector<std::string> weights;
  const auto add = [&weights](const char* what, double bytes) {
    if (!absl::GetFlag(FLAGS_json)) {
      absl::PrintF("%-24s %8.0f\n", what, bytes);
    }
    weights.push_back(absl::StrFormat("\"%s\": %.0f", what, bytes));
  };
  if (!absl::GetFlag(FLAGS_json)) {
    absl::PrintF("\nbytes per waiting call, client and server\n");
  }
  for (const Variant variant : kVariants) {
    add(VariantName(variant), BytesInFlight(echo, channels.at(variant)));
  }
  add("forbear_in_backoff", BytesInBackoff(echo));
  return absl::StrFormat("\"bytes_per_waiting_call\": {%s}",
                         absl::StrJoin(weights, ", "));
}

// Makes the calls that --only names; false if it names none.
bool RunOnly(const Echo& echo, const std::string& only) {
  for (const Variant variant : kVariants) {
    for (const Style style : kStyles) {
      if (only != absl::StrCat(VariantName(variant), ".", StyleName(style))) {
        continue;
      }
      MakeCalls(echo.Connect(variant), style, absl::GetFlag(FLAGS_calls), 64);
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
    std::fprintf(
        stderr,
        "--only: '%s' is not {plain,interceptor,core_retry,take_over,forbear}."
        "{sync,callback,cq,stream}\n",
        only.c_str());
    return 2;
  }
  if (absl::GetFlag(FLAGS_turns) < 1 || absl::GetFlag(FLAGS_calls) < 1) {
    std::fprintf(stderr, "--turns and --calls: must be 1 or more\n");
    return 2;
  }
  Channels channels;
  for (const Variant variant : kVariants) {
    channels[variant] = echo.Connect(variant);
  }
  const std::string costs = CompareAll(channels);
  const std::string weights = WeighAll(echo, channels);
  if (absl::GetFlag(FLAGS_json)) {
    absl::PrintF("{%s, %s}\n", costs, weights);
  }
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
