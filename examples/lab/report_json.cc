#include "examples/lab/report_json.h"

#include "absl/time/time.h"
#include "examples/lab/timers.h"
#include "interceptors/policy/verdict.h"

namespace lab {
namespace {

Json Ms(absl::Duration duration) {
  return Json(absl::ToInt64Milliseconds(duration));
}

Json Ms(const std::vector<absl::Duration>& durations) {
  Json list = Json::Array();
  for (const absl::Duration each : durations) list.Add(Ms(each));
  return list;
}

Json Herd(const Report& report) {
  Json herd = Json::Object();
  for (const Report::Rule& rule : report.herd) {
    Json mean = Json::Object();
    mean.Set("calls", Json::Tenths(rule.means.calls_tenths))
        .Set("refused", Json::Tenths(rule.means.refused_tenths))
        .Set("busiest", Json::Tenths(rule.means.busiest_tenths))
        .Set("finished_ms", Ms(rule.means.finished));
    Json figures = Json::Object();
    figures.Set("calls", rule.figures.calls)
        .Set("refused", rule.figures.refused)
        .Set("busiest", rule.figures.busiest)
        .Set("finished_ms", Ms(rule.figures.finished))
        .Set("mean", mean);
    herd.Set(forbear::JitterName(rule.jitter), figures);
  }
  return herd;
}

Json Layers(const Report& report) {
  Json layers = Json::Array();
  for (const Report::Layers& each : report.layers) {
    Json stack = Json::Object();
    stack.Set("layers", each.stack.layers)
        .Set("retries", each.stack.retries)
        .Set("attempts", each.attempts)
        .Set("attempts_with_signal", each.with_signal);
    layers.Add(stack);
  }
  return layers;
}

Json Budget(const BudgetFigures& figures) {
  Json budget = Json::Object();
  budget.Set("attempts", figures.attempts)
      .Set("allowed", figures.allowed)
      .Set("refused", figures.refused);
  return budget;
}

Json Deadline(const Report& report) {
  Json cases = Json::Object();
  for (const Report::Deadline& each : report.deadline) {
    Json trace = Json::Object();
    trace.Set("callee", each.deadline_case->callee)
        .Set("attempts", static_cast<int64_t>(each.trace.attempts.size()))
        .Set("attempts_at_ms", Ms(each.trace.attempts))
        .Set("timeouts_ms", Ms(each.trace.times))
        .Set("waits_ms", Ms(each.trace.waits))
        .Set("verdict", forbear::VerdictName(each.trace.verdict))
        .Set("ended_ms", Ms(each.trace.elapsed));
    cases.Set(each.deadline_case->name, trace);
  }
  return cases;
}

Json Payment(const PaymentFigures& figures) {
  Json payment = Json::Object();
  payment.Set("attempts", figures.attempts)
      .Set("charged", figures.charged)
      .Set("verdict", forbear::VerdictName(figures.verdict))
      .Set("outcome_unknown", figures.outcome_unknown);
  return payment;
}

Json Timers(const Report::Timers& timers) {
  Json busiest = Json::Object();
  busiest.Set("together", timers.together).Set("spread", timers.spread);
  return busiest;
}

}  // namespace

Json ReportJson(const Report& report) {
  Json budget = Json::Object();
  budget.Set("requests", kRequests)
      .Set("without", Budget(report.without_budget))
      .Set("with", Budget(report.with_budget));
  Json payment = Json::Object();
  payment.Set("without_key", Payment(report.without_key))
      .Set("with_key", Payment(report.with_key))
      .Set("unsaid", Payment(report.unsaid));
  Json timers = Json::Object();
  timers.Set("periodic_busiest_100ms", Timers(report.periodic))
      .Set("sweep_busiest_100ms", Timers(report.sweep));
  Json json = Json::Object();
  json.Set("herd", Herd(report))
      .Set("layers", Layers(report))
      .Set("budget", budget)
      .Set("deadline", Deadline(report))
      .Set("payment", payment)
      .Set("timers", timers);
  return json;
}

}  // namespace lab
