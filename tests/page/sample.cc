// Writes both pages, and the JSON of the same figures, into a directory: a
// storm that was made up, and the lab with a fleet that was.
//
//   sample DIRECTORY
#include <cmath>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "examples/lab/fleet_json.h"
#include "examples/lab/fleet_plan.h"
#include "examples/lab/fleet_report.h"
#include "examples/lab/herd.h"
#include "examples/lab/json.h"
#include "examples/lab/lab_page.h"
#include "examples/lab/report.h"
#include "examples/lab/report_json.h"
#include "examples/page/file.h"
#include "examples/shop/manner.h"
#include "examples/storm/plan.h"
#include "examples/storm/story.h"
#include "examples/storm/story_json.h"
#include "examples/storm/story_page.h"

namespace {

absl::Duration Ms(double ms) { return absl::Milliseconds(ms); }

// What a page must not take for its own.
constexpr char kHostile[] =
    "</title><script>window.taken = true</script>\"' onload=\"taken = true";

// `amplification`: attempts for each order while routes fails.
storm::Course MadeUp(const std::string& key, const std::string& name,
                     double amplification) {
  storm::Course course;
  course.key = key;
  course.name = name;
  for (int phase = 0; phase < storm::kPhases; ++phase) {
    course.phases.push_back(
        {storm::kPlan[phase].name, Ms(3'000 * phase), Ms(3'000 * (phase + 1))});
  }
  storm::Figures& figures = course.figures;
  for (int i = 0; i < 30 * storm::kPhases; ++i) {
    const int phase = i / 30;
    const double factors[storm::kPhases] = {
        1, 1.1, amplification, 1 + amplification / 10, 1.2, 1, 2};
    storm::Moment moment;
    moment.at = Ms(100 * i);
    moment.offered = 5 + i % 2;
    moment.attempts = static_cast<int>(moment.offered * factors[phase] *
                                       (1 + 0.2 * std::sin(i)));
    moment.good = phase == storm::kFailing || phase == storm::kHanging
                      ? i % 3
                      : moment.offered;
    if (amplification < 2) {
      moment.budget_balance = phase == storm::kFailing
                                  ? std::max(0.0, 10 - (i - 60) / 2.0)
                                  : std::min(10.0, i / 10.0);
    }
    moment.wasted = Ms(phase == storm::kHanging ? amplification * 10 : 0);
    course.moments.push_back(moment);
    figures.phases[phase].orders += moment.offered;
    figures.phases[phase].attempts += moment.attempts;
    figures.orders += moment.offered;
    figures.good += moment.good;
    figures.fell_back += moment.offered - moment.good;
    figures.wasted += *moment.wasted;
    figures.busiest_tenth = std::max(figures.busiest_tenth, moment.attempts);
  }
  figures.in_time = figures.orders - static_cast<int>(amplification);
  figures.entered_late = static_cast<int>(amplification * 40) - 40;
  if (amplification < 2) figures.recovery = Ms(300);
  figures.recovery_peak = 1 + amplification / 100;
  figures.double_charges = static_cast<int>(amplification / 10);
  figures.pending = static_cast<int>(amplification / 20);

  storm::OrderLine order;
  order.order = kHostile;
  order.outcome = absl::StrCat("estimate of the cache ", kHostile);
  const double length = 60 * amplification;
  order.spans = {
      {"customer", "places the order", "OK", Ms(4'000), Ms(4'000 + length)},
      {"gateway", "order", "OK", Ms(4'001), Ms(3'999 + length)}};
  for (int i = 0; i < static_cast<int>(amplification); ++i) {
    order.spans.push_back({"routes", absl::StrCat("attempt ", i + 1),
                           "UNAVAILABLE", Ms(4'010 + 60 * i),
                           Ms(4'020 + 60 * i)});
    order.spans.push_back(
        {"dispatch", "waits", "", Ms(4'020 + 60 * i), Ms(4'050 + 60 * i)});
  }
  course.orders = {order};
  return course;
}

lab::FleetReport MadeUpFleet() {
  lab::FleetReport report;
  report.plan.processes = 1'000;
  report.cost = {1'000, absl::Seconds(1), 1'000'000};
  for (const lab::FleetRule& rule : lab::kFleetRules) {
    lab::FleetRow row;
    row.rule = rule;
    for (int i = 0; i < 160; ++i) {
      row.figures.seconds.push_back({700 + i, 700 - i, i, 0, 0});
    }
    row.figures.peak = 7.125;
    row.figures.good_share = 0.53;
    row.figures.wasted_share = 1;
    if (rule.budget) row.figures.recovered = absl::Seconds(56);
    report.rows.push_back(row);
  }
  report.studies.when = {
      {0.7, absl::Seconds(5),
       std::vector<lab::Recovery>(std::size(lab::kFleetRules)),
       absl::Seconds(360)}};
  report.studies.ends = {
      {lab::Remedy::kNothing, absl::nullopt, absl::Seconds(60)},
      {lab::Remedy::kDropExpired, absl::Seconds(1), absl::Seconds(60)}};
  report.studies.by_budget = {
      {0.1, 10'000, {}, 2.5, absl::Seconds(3), absl::Seconds(360)}};
  return report;
}

absl::Status WriteAll(const std::string& directory) {
  storm::Story story;
  story.set_up = absl::StrCat("Made up. ", kHostile);
  for (int i = 0; i < shop::kManners; ++i) {
    const auto manner = static_cast<shop::Manner>(i);
    story.courses.push_back(MadeUp(std::string(shop::MannerName(manner)),
                                   absl::StrCat("+ ", i),
                                   1.13 + 8 * (shop::kManners - 1 - i)));
  }
  lab::HerdPlan plan;
  plan.runs = 1;
  const lab::Report report = lab::MakeReport(plan);
  const lab::FleetReport fleet = MadeUpFleet();
  lab::Json json = lab::ReportJson(report);
  json.Set("fleet", lab::FleetJson(fleet));
  absl::Status status = storm::WritePage(story, directory + "/storm.html");
  status.Update(page::WriteFile(directory + "/storm.json", StoryJson(story)));
  status.Update(
      page::WriteFile(directory + "/lab.html", lab::LabPage(report, &fleet)));
  status.Update(page::WriteFile(directory + "/lab.json", json.text()));
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const absl::Status status =
      argc == 2 ? WriteAll(argv[1])
                : absl::InvalidArgumentError("it takes one directory");
  if (status.ok()) return 0;
  std::fprintf(stderr, "sample: %s\n", std::string(status.message()).c_str());
  return 1;
}
