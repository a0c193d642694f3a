#include "examples/storm/moments_section.h"

#include <limits>
#include <string>

#include "absl/time/time.h"
#include "examples/storm/comparison.h"

namespace storm {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr Quantity kAttempts = {
    "attempts at routes", "attempts in 100 ms",
    [](const Moment& m) { return m.attempts * 1.0; }, 0};
constexpr Quantity kOffered = {"orders offered", "orders",
                               [](const Moment& m) { return m.offered * 1.0; },
                               0};
constexpr Quantity kGood = {"good answers", "answers in a second",
                            [](const Moment& m) { return m.good * 1.0; }, 0};
constexpr Quantity kBalance = {"retries in the budget", "retries",
                               [](const Moment& m) {
                                 return m.budget_balance.value_or(
                                     std::numeric_limits<double>::quiet_NaN());
                               },
                               1};
constexpr Quantity kWasted = {
    "ms spent for nobody", "ms in 100 ms",
    [](const Moment& m) {
      return m.wasted.has_value() ? absl::ToDoubleMilliseconds(*m.wasted)
                                  : kUnknown;
    },
    0};

// Of each second one, with what was counted in it.
Course BySeconds(const Course& course) {
  constexpr size_t kOfASecond = 10;
  Course seconds = course;
  seconds.moments.clear();
  for (size_t i = 0; i + kOfASecond <= course.moments.size(); i += kOfASecond) {
    Moment second;
    second.at = course.moments[i].at;
    for (size_t j = i; j < i + kOfASecond; ++j) {
      second.offered += course.moments[j].offered;
      second.good += course.moments[j].good;
    }
    seconds.moments.push_back(second);
  }
  return seconds;
}

}  // namespace

page::Figure AttemptsFigure(const Courses& courses) {
  return Compared(courses, {kAttempts, kOffered},
                  "Attempts that reached routes, each 100 ms",
                  "The same scale on both sides; the orders offered are the "
                  "same, too.");
}

page::Section MomentsSection(const Courses& courses) {
  std::vector<Course> by_seconds;
  for (const Course* course : courses) by_seconds.push_back(BySeconds(*course));
  Courses seconds;
  for (const Course& course : by_seconds) seconds.push_back(&course);
  std::string body = page::Html(Compared(
      seconds, {kGood, kOffered}, "Good answers, each second",
      "Of the orders offered in each second, those that were answered in time "
      "with a live estimate. While routes cannot be asked, the others get the "
      "estimate of the cache."));
  if (IsKnown(courses, kWasted)) {
    body += page::Html(
        Compared(courses, {kWasted}, "Time spent for nobody, each 100 ms",
                 "What the servers' handlers worked on orders whose customer "
                 "had left."));
  }
  if (IsKnown(courses, kBalance)) {
    body += page::Html(
        Compared(courses, {kBalance}, "The retry budget, each 100 ms",
                 "The retries that dispatch may still make. When they are "
                 "spent, a failure is final at once."));
  }
  return {"moments", "Over time", body};
}

}  // namespace storm
