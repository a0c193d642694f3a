#include "examples/storm/table.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "examples/storm/figure_rows.h"
#include "examples/storm/in_short.h"
#include "examples/storm/plan.h"

namespace storm {
namespace {

constexpr int kWidth = 79;

// "  failing fast", or a label and the number of its note.
std::string Label(const FigureRow& row, int note) {
  return absl::StrCat(row.goes_on ? "  " : "", row.label,
                      note == 0 ? "" : absl::StrFormat(" (%d)", note));
}

// In lines of kWidth characters, all but the first after `indent`.
std::string Wrapped(absl::string_view text, absl::string_view indent) {
  std::string wrapped;
  size_t length = 0;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    const bool first = wrapped.empty();
    if (length + 1 + word.size() > kWidth) {
      absl::StrAppend(&wrapped, "\n", indent, word);
      length = indent.size() + word.size();
    } else {
      absl::StrAppend(&wrapped, first ? "" : " ", word);
      length += (first ? 0 : 1) + word.size();
    }
  }
  return wrapped;
}

// A figure a row, a course a column.
std::string SideBySide(const Story& story) {
  const auto line = [](const std::string& label, const std::string& cells) {
    return absl::StrFormat("%-49s%s\n", label, cells);
  };
  const auto cell = [](const std::string& text) {
    return absl::StrFormat("%10s", text);
  };
  std::string head;
  for (const Course& course : story.courses) head += cell(course.name);
  std::string table = line("", head);
  std::string notes;
  int note = 0;
  for (const FigureRow& row : FigureRows()) {
    const bool noted = *row.note != '\0';
    if (noted) ++note;
    std::string cells;
    for (const Course& course : story.courses) {
      cells += cell(Shown(row, course.figures));
    }
    table += line(Label(row, noted ? note : 0), cells);
    if (!noted) continue;
    absl::StrAppend(&notes,
                    Wrapped(absl::StrFormat("(%d) %s", note, row.note), "    "),
                    "\n");
  }
  return absl::StrCat(table, "\n", notes);
}

// A course a row, a figure a column.
std::string BelowEachOther(const Story& story) {
  // The two lines of the head, and a line for each course.
  std::vector<std::string> lines(2 + story.courses.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::StrAppendFormat(&lines[i], "%-11s",
                          i < 2 ? "" : story.courses[i - 2].name);
  }
  for (const FigureRow& row : FigureRows()) {
    if (*row.column == '\0') continue;
    std::vector<std::string> column = absl::StrSplit(row.column, '|');
    for (const Course& course : story.courses) {
      column.push_back(Shown(row, course.figures));
    }
    size_t width = 0;
    for (const std::string& cell : column) {
      width = std::max(width, cell.size() + 1);
    }
    for (size_t i = 0; i < lines.size(); ++i) {
      absl::StrAppendFormat(&lines[i], "%*s", width, column[i]);
    }
  }
  return absl::StrCat(absl::StrJoin(lines, "\n"), "\n");
}

}  // namespace

std::string SetUp() {
  const auto time = [](PhaseName phase) {
    return absl::FormatDuration(kPlan[phase].length);
  };
  return absl::StrFormat(
      "One bad evening on real servers: a driver calls gateway, gateway calls "
      "payments (on Redis) and dispatch, dispatch calls routes, each a process "
      "here. %d orders per second come, whether or not those before were "
      "answered. routes is healthy for %s, slow for %s (1 answer in 25 takes "
      "1.2 s), fails fast for %s and hangs for %s; it comes back with %d "
      "answers per second, until recovered. payments is killed in a burst of "
      "%d orders per second. A sweep hands over what has no courier yet. Bare, "
      "by hand: driver, gateway and dispatch each try 4 times; waits of 10 ms "
      "that double; timeouts of 20, 4 and 0.8 s. forbear: the customer's "
      "deadline travels along; dispatch alone retries, with jitter, within a "
      "budget of a tenth of its calls; what must happen once has a key; late "
      "calls are refused; the sweep is spread over %s.",
      kPlan[kHealthy].orders_per_second, time(kHealthy), time(kSlow),
      time(kFailing), time(kHanging), kPlan[kRecovering].admitted_per_second,
      kPlan[kPaymentsDie].orders_per_second,
      absl::FormatDuration(kSweepWindow));
}

std::string Table(const Story& story) {
  const Short in_short = InShort(story);
  return absl::StrCat(
      "\n", Wrapped(story.set_up, ""), "\n\n",
      story.courses.size() > 2 ? BelowEachOther(story) : SideBySide(story),
      "\n", Wrapped(in_short.attempts + " " + in_short.outcome, ""), "\n");
}

}  // namespace storm
