// Retry storms on a manual clock, with the engine that runs in production.
//
//   bazel run //examples/lab -- --seed=8 --json
#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "examples/lab/flags.h"
#include "examples/lab/fleet_json.h"
#include "examples/lab/fleet_plan.h"
#include "examples/lab/fleet_report.h"
#include "examples/lab/fleet_tables.h"
#include "examples/lab/herd.h"
#include "examples/lab/json.h"
#include "examples/lab/lab_page.h"
#include "examples/lab/report.h"
#include "examples/lab/report_json.h"
#include "examples/lab/tables.h"
#include "examples/page/file.h"
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
using Fleet = Whole<1, 1'000'000>;

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
ABSL_FLAG(
    lab::Fleet, fleet, {10'000},
    "a whole number of processes from 1 to 1000000: adds part 6, in which "
    "they are a fleet; 10000 if none is given");
ABSL_FLAG(bool, json, false, "true or false: whether to print JSON");
ABSL_FLAG(std::string, html, "",
          "a file: it is written anew, as a page that shows the same");

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

// Whether there is to be a fleet. "--fleet" alone is given its number, so that
// it does not take the next argument for one.
bool TakeFleet(std::vector<char*>* arguments) {
  static char with_number[] = "--fleet=10000";
  bool fleet = false;
  for (char*& argument : *arguments) {
    const std::string text = argument;
    if (text == "--fleet") argument = with_number;
    fleet |= text == "--fleet" || absl::StartsWith(text, "--fleet=");
  }
  return fleet;
}

// The exit status.
int WritePageOrNot(const lab::Report& report, const lab::FleetReport* fleet) {
  const std::string path = absl::GetFlag(FLAGS_html);
  if (path.empty()) return 0;
  const absl::Status status =
      page::WriteFile(path, lab::LabPage(report, fleet));
  if (status.ok()) return 0;
  std::fprintf(stderr, "lab: --html: %s\n",
               std::string(status.message()).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  const bool with_fleet = TakeFleet(&arguments);
  shop::ParseFlagsOrExit(argc, arguments.data());
  const lab::HerdPlan plan = PlanOrExit();
  const lab::Report report = lab::MakeReport(plan);
  absl::optional<lab::FleetReport> fleet;
  if (with_fleet) {
    lab::FleetPlan fleet_plan;
    fleet_plan.seed = plan.seed;
    fleet_plan.processes = static_cast<int>(absl::GetFlag(FLAGS_fleet).number);
    fleet = lab::MakeFleetReport(fleet_plan);
  }
  if (absl::GetFlag(FLAGS_json)) {
    lab::Json json = lab::ReportJson(report);
    if (fleet.has_value()) json.Set("fleet", lab::FleetJson(*fleet));
    std::puts(json.text().c_str());
  } else {
    std::fputs(lab::Tables(report).c_str(), stdout);
    if (fleet.has_value()) {
      std::fputs(lab::FleetTables(*fleet).c_str(), stdout);
    }
  }
  return WritePageOrNot(report, fleet.has_value() ? &*fleet : nullptr);
}
