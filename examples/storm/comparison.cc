#include "examples/storm/comparison.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "examples/page/chart.h"
#include "examples/page/look.h"
#include "examples/page/table.h"
#include "examples/page/text.h"

namespace storm {
namespace {

// Above the highest, for its name and those of the phases.
constexpr double kHeadroom = 1.4;

using Quantities = std::vector<Quantity>;

double Highest(const Courses& courses, const Quantities& quantities) {
  double highest = 0;
  for (const Course* course : courses) {
    for (const Moment& moment : course->moments) {
      for (const Quantity& quantity : quantities) {
        const double number = quantity.of(moment);
        if (std::isfinite(number)) highest = std::max(highest, number);
      }
    }
  }
  return highest;
}

double End(const Courses& courses) {
  double end = 0;
  for (const Course* course : courses) {
    if (course->phases.empty()) continue;
    end = std::max(end, absl::ToDoubleSeconds(course->phases.back().until));
  }
  return end;
}

page::Line Drawn(const Course& course, const Quantity& quantity, int look) {
  page::Line line;
  line.name = quantity.name;
  line.look = look;
  for (const Moment& moment : course.moments) {
    line.points.push_back(
        {absl::ToDoubleSeconds(moment.at), quantity.of(moment)});
  }
  return line;
}

// "bare: at most 371"
std::string Said(const Course& course, const Quantity& quantity) {
  if (!IsKnown({&course}, quantity)) return course.name + " has none";
  return absl::StrCat(
      course.name, ": at most ",
      page::Number(Highest({&course}, {quantity}), quantity.digits));
}

// When the n-th moment of them all began.
std::string At(const Courses& courses, size_t n) {
  for (const Course* course : courses) {
    if (n >= course->moments.size()) continue;
    return page::Number(absl::ToDoubleSeconds(course->moments[n].at), 1);
  }
  return "";
}

page::Table Numbers(const Courses& courses, const Quantities& quantities,
                    const std::string& caption) {
  page::Table table{caption, {"second"}, {}};
  size_t rows = 0;
  for (const Course* course : courses) {
    rows = std::max(rows, course->moments.size());
    for (const Quantity& quantity : quantities) {
      table.head.push_back(absl::StrCat(course->name, ": ", quantity.name));
    }
  }
  for (size_t i = 0; i < rows; ++i) {
    std::vector<page::Cell> cells = {At(courses, i)};
    for (const Course* course : courses) {
      for (const Quantity& quantity : quantities) {
        cells.emplace_back(
            i < course->moments.size()
                ? page::Number(quantity.of(course->moments[i]), quantity.digits)
                : "");
      }
    }
    table.rows.push_back(cells);
  }
  return table;
}

}  // namespace

bool IsKnown(const Courses& courses, const Quantity& quantity) {
  for (const Course* course : courses) {
    for (const Moment& moment : course->moments) {
      if (std::isfinite(quantity.of(moment))) return true;
    }
  }
  return false;
}

page::Figure Compared(const Courses& courses, const Quantities& quantities,
                      const std::string& title, const std::string& note) {
  page::Figure figure;
  figure.title = title;
  figure.note = note;
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities) names.push_back(quantity.name);
  if (names.size() > 1) figure.legend = page::Legend(names);
  for (const Course* course : courses) {
    page::Chart chart;
    chart.title = absl::StrCat(title, ", ", course->name);
    chart.description = Said(*course, quantities.front());
    chart.x = {"seconds", 0, End(courses)};
    chart.y = {quantities.front().unit, 0,
               kHeadroom * Highest(courses, quantities)};
    for (const PhaseSpan& phase : course->phases) {
      chart.bands.push_back({phase.name, absl::ToDoubleSeconds(phase.from),
                             absl::ToDoubleSeconds(phase.until)});
    }
    int look = 0;
    for (const Quantity& quantity : quantities) {
      chart.lines.push_back(Drawn(*course, quantity, look++));
    }
    chart.lines.front().filled = true;
    chart.names_peak = true;
    figure.names.push_back(IsKnown({course}, quantities.front())
                               ? course->name
                               : chart.description);
    figure.drawings.push_back(page::Svg(chart));
  }
  figure.numbers = Numbers(courses, quantities, title);
  return figure;
}

}  // namespace storm
