#include "examples/storm/table.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "examples/storm/figure_rows.h"
#include "examples/storm/plan.h"

namespace storm {
namespace {

constexpr char kSetUp[] =
    "One storm, twice: %d orders per second, placed without waiting for one "
    "another; %s healthy, %s with routes failing fast, %s with it hanging, "
    "then back, until recovered. driver -> gateway -> dispatch -> routes, each "
    "a process here. Bare, by hand: driver, gateway and dispatch each try 4 "
    "times; waits of 10 ms that double; timeouts of 20, 4 and 0.8 s. forbear: "
    "dispatch alone retries.";

// "  failing fast", or a label and the number of its note.
std::string Label(const FigureRow& row, int note) {
  return absl::StrCat(row.goes_on ? "  " : "", row.label,
                      note == 0 ? "" : absl::StrFormat(" (%d)", note));
}

// In lines of 79 characters, all but the first after `indent`.
std::string Wrapped(absl::string_view text, absl::string_view indent) {
  std::string wrapped;
  size_t length = 0;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    const bool first = wrapped.empty();
    if (length + 1 + word.size() > 79) {
      absl::StrAppend(&wrapped, "\n", indent, word);
      length = indent.size() + word.size();
    } else {
      absl::StrAppend(&wrapped, first ? "" : " ", word);
      length += (first ? 0 : 1) + word.size();
    }
  }
  return wrapped;
}

}  // namespace

std::string SetUp() {
  return absl::StrFormat(kSetUp, kOrdersPerSecond,
                         absl::FormatDuration(kPlan[kHealthy].length),
                         absl::FormatDuration(kPlan[kFailing].length),
                         absl::FormatDuration(kPlan[kHanging].length));
}

std::string Table(const Figures& by_hand, const Figures& forbear) {
  constexpr char kFormat[] = "%-50s%10s%10s\n";
  std::string table = absl::StrCat("\n", Wrapped(SetUp(), ""), "\n\n");
  absl::StrAppendFormat(&table, kFormat, "", "by hand", "forbear");
  std::string notes;
  int note = 0;
  for (const FigureRow& row : FigureRows()) {
    const bool noted = *row.note != '\0';
    if (noted) ++note;
    absl::StrAppendFormat(&table, kFormat, Label(row, noted ? note : 0),
                          Shown(row, by_hand), Shown(row, forbear));
    if (!noted) continue;
    absl::StrAppend(&notes,
                    Wrapped(absl::StrFormat("(%d) %s", note, row.note), "    "),
                    "\n");
  }
  return absl::StrCat(table, "\n", notes);
}

}  // namespace storm
