#include "examples/storm/orders_section.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "examples/page/table.h"
#include "examples/page/text.h"
#include "examples/page/time_line.h"

namespace storm {
namespace {

using Courses = std::vector<const Course*>;

absl::Duration Placed(const OrderLine& order) {
  return order.spans.empty() ? absl::ZeroDuration() : order.spans.front().from;
}

// The name of the phase in which an order was placed.
std::string PhaseOf(const Course& course, const OrderLine& order) {
  for (const PhaseSpan& phase : course.phases) {
    if (Placed(order) < phase.until) return phase.name;
  }
  return "";
}

double Length(const OrderLine& order) {
  absl::Duration length = absl::Milliseconds(1);
  for (const Span& span : order.spans) {
    length = std::max(length, span.until - Placed(order));
  }
  return absl::ToDoubleMilliseconds(length);
}

page::Stretch Drawn(const Span& span, absl::Duration placed) {
  page::Stretch stretch;
  stretch.from = absl::ToDoubleMilliseconds(span.from - placed);
  stretch.until = absl::ToDoubleMilliseconds(span.until - placed);
  stretch.text = absl::StrCat(span.what, ": ", span.outcome);
  if (absl::StartsWith(span.what, "wait")) {
    stretch.kind = page::Stretch::Kind::kWait;
  } else if (span.outcome != "OK") {
    stretch.kind = page::Stretch::Kind::kFailed;
  }
  return stretch;
}

// A lane for each service, in the order in which they come.
page::TimeLine Drawn(const Course& course, const OrderLine& order,
                     double until) {
  page::TimeLine line;
  line.title = absl::StrCat(course.name, ", order ", order.order);
  line.description = order.outcome;
  line.x = {"ms since the order was placed", 0, until};
  for (const Span& span : order.spans) {
    auto lane = std::find_if(
        line.lanes.begin(), line.lanes.end(),
        [&](const page::Lane& each) { return each.name == span.service; });
    if (lane == line.lanes.end()) {
      line.lanes.push_back({span.service, {}});
      lane = line.lanes.end() - 1;
    }
    lane->stretches.push_back(Drawn(span, Placed(order)));
  }
  return line;
}

void AddRows(const Course& course, const OrderLine& order, page::Table* table) {
  for (const Span& span : order.spans) {
    const auto ms = [&](absl::Duration at) {
      return page::Number(absl::ToDoubleMilliseconds(at - Placed(order)), 1);
    };
    table->rows.push_back({absl::StrCat(course.name, ", order ", order.order),
                           span.service, span.what, span.outcome, ms(span.from),
                           ms(span.until)});
  }
}

page::Figure NthOrders(const Courses& courses, size_t n) {
  page::Figure figure;
  figure.legend = page::TimeLineLegend();
  figure.numbers.head = {"order",   "service",  "what",
                         "outcome", "from, ms", "until, ms"};
  double until = 0;
  for (const Course* course : courses) {
    if (n < course->orders.size()) {
      until = std::max(until, Length(course->orders[n]));
    }
  }
  for (const Course* course : courses) {
    if (n >= course->orders.size()) continue;
    const OrderLine& order = course->orders[n];
    if (figure.title.empty()) {
      figure.title = absl::StrCat("An order while ", PhaseOf(*course, order));
      figure.numbers.caption = absl::StrCat(figure.title, ", number ", n + 1);
    }
    figure.names.push_back(absl::StrCat(course->name, ": ", order.outcome));
    figure.drawings.push_back(page::Svg(Drawn(*course, order, until)));
    AddRows(*course, order, &figure.numbers);
  }
  return figure;
}

}  // namespace

page::Section OrdersSection(const Courses& courses) {
  size_t orders = 0;
  for (const Course* course : courses) {
    orders = std::max(orders, course->orders.size());
  }
  page::Section section{"orders", "Some orders, from service to service", ""};
  for (size_t n = 0; n < orders; ++n) {
    section.body += page::Html(NthOrders(courses, n));
  }
  return section;
}

}  // namespace storm
