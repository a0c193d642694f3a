// Retry storms on a manual clock, with the engine that runs in production.
//
//   bazel run //examples/lab -- --seed=8 --json
#include <cstdio>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "examples/lab/flags.h"
#include "examples/lab/report.h"
#include "examples/lab/report_json.h"
#include "examples/lab/tables.h"
#include "examples/shop/flags.h"

namespace lab {
namespace {

constexpr int64_t kHour = 3'600'000;  // In ms.

using Seed = Whole<0, 1'000'000'000>;
using Clients = Whole<1, 10'000>;
using Base = Whole<1, kHour>;
using Cap = Whole<1, 24 * kHour>;
using Accept = Whole<1, 10'000>;
using Window = Whole<1, kHour>;
using Runs = Whole<1, 1'000>;

}  // namespace
}  // namespace lab

ABSL_FLAG(lab::Seed, seed, {7}, "a whole number from 0 to 1000000000");
ABSL_FLAG(lab::Clients, clients, {100}, "a whole number from 1 to 10000");
ABSL_FLAG(lab::Base, base, {100}, "a whole number of ms from 1 to 3600000");
ABSL_FLAG(lab::Cap, cap, {3'200},
          "a whole number of ms from --base to 86400000");
ABSL_FLAG(lab::Accept, accept, {10},
          "a whole number of calls in a window, from 1 to 10000");
ABSL_FLAG(lab::Window, window, {100}, "a whole number of ms from 1 to 3600000");
ABSL_FLAG(lab::Runs, runs, {20},
          "a whole number from 1 to 1000: the means are over seeds 1 to this");
ABSL_FLAG(bool, json, false, "true or false: whether to print JSON");

namespace {

lab::HerdPlan PlanOrExit() {
  lab::HerdPlan plan;
  plan.seed = absl::GetFlag(FLAGS_seed).number;
  plan.clients = static_cast<int>(absl::GetFlag(FLAGS_clients).number);
  plan.base = absl::Milliseconds(absl::GetFlag(FLAGS_base).number);
  plan.cap = absl::Milliseconds(absl::GetFlag(FLAGS_cap).number);
  plan.accept = static_cast<int>(absl::GetFlag(FLAGS_accept).number);
  plan.window = absl::Milliseconds(absl::GetFlag(FLAGS_window).number);
  plan.runs = static_cast<int>(absl::GetFlag(FLAGS_runs).number);
  if (plan.cap < plan.base) {
    shop::ExitWrongValue(
        absl::StrCat("--cap=", absl::GetFlag(FLAGS_cap).number,
                     ": it takes a whole number of ms from --base, here ",
                     absl::GetFlag(FLAGS_base).number, ", to 86400000"));
  }
  return plan;
}

}  // namespace

int main(int argc, char** argv) {
  shop::ParseFlagsOrExit(argc, argv);
  const lab::Report report = lab::MakeReport(PlanOrExit());
  if (absl::GetFlag(FLAGS_json)) {
    std::puts(lab::ReportJson(report).text().c_str());
  } else {
    std::fputs(lab::Tables(report).c_str(), stdout);
  }
  return 0;
}
