#include "examples/storm/table.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "examples/storm/plan.h"

namespace storm {
namespace {

constexpr char kHead[] = R"(
One storm, twice: %d orders per second, placed without waiting for one another;
%s healthy, %s with routes failing fast, %s with it hanging, then back, until
recovered. driver -> gateway -> dispatch -> routes, each a process here.
By hand: driver, gateway and dispatch each try 4 times; waits of 10 ms that
double; timeouts of 20, 4 and 0.8 s. forbear: dispatch alone retries.

)";

constexpr char kFoot[] = R"(
(1) Attempts that reached routes in the phase, for each order placed in it.
(2) Of the orders placed; 5 s from placing to the answer, the fallback included.
    Who asks until the outage ends gets more of them live, at the price above.
(3) Counted in all three servers.
(4) From the end of the outage to the first second of which 95 % of the orders
    have a live estimate in time, and which 2 s like it follow.
)";

std::string PerOrder(const Figures& figures, PhaseName phase) {
  return absl::StrFormat("%.2f", figures.phases[phase].AttemptsPerOrder());
}

std::string Share(int part, int whole) {
  return absl::StrFormat("%.1f %%", whole == 0 ? 0 : 100.0 * part / whole);
}

struct Row {
  const char* label;
  std::string (*value)(const Figures&);
};

const Row kRows[] = {
    {"orders placed", [](const Figures& f) { return absl::StrCat(f.orders); }},
    {"attempts at routes per order, healthy (1)",
     [](const Figures& f) { return PerOrder(f, kHealthy); }},
    {"  failing fast", [](const Figures& f) { return PerOrder(f, kFailing); }},
    {"  hanging", [](const Figures& f) { return PerOrder(f, kHanging); }},
    {"  recovering", [](const Figures& f) { return PerOrder(f, kRecovering); }},
    {"attempts at routes in its busiest 100 ms",
     [](const Figures& f) { return absl::StrCat(f.busiest_tenth); }},
    {"orders answered within 5 s (2)",
     [](const Figures& f) { return Share(f.in_time, f.orders); }},
    {"  with a live estimate",
     [](const Figures& f) { return Share(f.good, f.orders); }},
    {"handlers entered after the order's deadline (3)",
     [](const Figures& f) { return absl::StrCat(f.entered_late); }},
    {"seconds until recovered (4)",
     [](const Figures& f) {
       return f.recovery.has_value()
                  ? absl::StrFormat("%.1f", absl::ToDoubleSeconds(*f.recovery))
                  : std::string("not in 10");
     }},
};

}  // namespace

std::string Table(const Figures& by_hand, const Figures& forbear) {
  constexpr char kFormat[] = "%-50s%10s%10s\n";
  std::string table = absl::StrFormat(
      kHead, kOrdersPerSecond, absl::FormatDuration(kPlan[kHealthy].length),
      absl::FormatDuration(kPlan[kFailing].length),
      absl::FormatDuration(kPlan[kHanging].length));
  absl::StrAppendFormat(&table, kFormat, "", "by hand", "forbear");
  for (const Row& row : kRows) {
    absl::StrAppendFormat(&table, kFormat, row.label, row.value(by_hand),
                          row.value(forbear));
  }
  return table + kFoot;
}

}  // namespace storm
