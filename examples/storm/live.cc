#include "examples/storm/live.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "examples/page/text.h"

namespace storm {
namespace {

constexpr size_t kMomentsOfASecond = 10;
constexpr int kUsualWidth = 80;

// What was counted in a second; its budget as it ended.
Moment Second(const Course& course, size_t number) {
  Moment second;
  for (size_t i = 0; i < kMomentsOfASecond; ++i) {
    const Moment& moment = course.moments[number * kMomentsOfASecond + i];
    second.offered += moment.offered;
    second.attempts += moment.attempts;
    second.good += moment.good;
    second.budget_balance = moment.budget_balance;
    if (moment.wasted.has_value()) {
      second.wasted =
          second.wasted.value_or(absl::ZeroDuration()) + *moment.wasted;
    }
  }
  return second;
}

std::vector<Moment> Seconds(const Course& course) {
  std::vector<Moment> seconds;
  while ((seconds.size() + 1) * kMomentsOfASecond <= course.moments.size()) {
    seconds.push_back(Second(course, seconds.size()));
  }
  return seconds;
}

std::string PhaseAt(const Course& course, absl::Duration at) {
  std::string name;
  for (const PhaseSpan& phase : course.phases) {
    if (phase.from <= at) name = phase.name;
  }
  return name;
}

// What is drawn of each second.
struct Row {
  const char* label;
  int digits;
  bool is_load;  // On the scale that orders and attempts share.
  absl::optional<double> (*of)(const Moment& second);
};

constexpr Row kRows[] = {
    {"orders offered", 0, true,
     [](const Moment& s) { return absl::optional<double>(s.offered); }},
    {"attempts at routes", 0, true,
     [](const Moment& s) { return absl::optional<double>(s.attempts); }},
    {"good answers", 0, false,
     [](const Moment& s) { return absl::optional<double>(s.good); }},
    {"s spent for nobody", 1, false,
     [](const Moment& s) {
       return s.wasted.has_value()
                  ? absl::optional<double>(absl::ToDoubleSeconds(*s.wasted))
                  : absl::nullopt;
     }},
    {"retries in budget", 1, false,
     [](const Moment& s) { return s.budget_balance; }},
};

// Of all seconds. Orders and attempts at routes are drawn on one scale, so that
// an amplification is seen.
double Highest(const Row& row, const std::vector<Moment>& seconds) {
  double highest = 0;
  for (const Moment& second : seconds) {
    highest = std::max(highest, row.of(second).value_or(0));
    if (row.is_load) {
      highest =
          std::max({highest, second.offered * 1.0, second.attempts * 1.0});
    }
  }
  return highest;
}

// Such as "▁▁▄█": the last of them, as many as there is room for, the highest
// as a whole block.
std::string Bars(const Row& row, const std::vector<Moment>& seconds,
                 size_t room) {
  static const char* const kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double highest = Highest(row, seconds);
  const size_t first = seconds.size() - std::min(seconds.size(), room);
  std::string bars;
  for (size_t i = first; i < seconds.size(); ++i) {
    const absl::optional<double> number = row.of(seconds[i]);
    const double part =
        highest > 0 ? std::max(number.value_or(0), 0.0) / highest : 0;
    bars += number.has_value() ? kBlocks[static_cast<int>(std::ceil(part * 7))]
                               : " ";
  }
  return bars;
}

std::string Cut(const std::string& text, size_t width) {
  return text.substr(0, width);  // It has nothing but ASCII.
}

std::string Line(const Row& row, const std::vector<Moment>& seconds,
                 size_t width) {
  const absl::optional<double> last =
      seconds.empty() ? absl::nullopt : row.of(seconds.back());
  const std::string figure =
      last.has_value() ? page::Number(*last, row.digits) : "-";
  const std::string start =
      Cut(absl::StrFormat("%-18s %7s  ", row.label, figure), width);
  return start + Bars(row, seconds, width - start.size());
}

}  // namespace

int TerminalWidth(std::FILE* out) {
  if (isatty(fileno(out)) == 0) return 0;
  winsize size = {};
  const bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

void Live::Show(const Course& so_far) {
  if (width_ > 0) {
    Draw(so_far);
  } else {
    SayNewSeconds(so_far);
  }
  std::fflush(out_);
}

void Live::Draw(const Course& so_far) {
  const size_t width = static_cast<size_t>(width_);
  const std::vector<Moment> seconds = Seconds(so_far);
  std::vector<std::string> lines = {Cut(
      absl::StrFormat("%s, %d s: %s", so_far.name, seconds.size(),
                      so_far.phases.empty() ? "" : so_far.phases.back().name),
      width)};
  for (const Row& row : kRows) lines.push_back(Line(row, seconds, width));
  // Up to the first line that was drawn; each is erased before it is written.
  if (drawn_ > 0) absl::FPrintF(out_, "\x1b[%dA", drawn_);
  for (const std::string& line : lines) {
    absl::FPrintF(out_, "\x1b[2K%s\n", line);
  }
  drawn_ = lines.size();
}

void Live::SayNewSeconds(const Course& so_far) {
  const std::vector<Moment> seconds = Seconds(so_far);
  for (; said_ < seconds.size(); ++said_) {
    const absl::Duration middle =
        absl::Seconds(static_cast<int64_t>(said_)) + absl::Milliseconds(500);
    std::string line = absl::StrFormat("%s, %d s, %s:", so_far.name, said_,
                                       PhaseAt(so_far, middle));
    for (const Row& row : kRows) {
      const absl::optional<double> number = row.of(seconds[said_]);
      if (!number.has_value()) continue;
      absl::StrAppend(&line, line.back() == ':' ? " " : ", ",
                      page::Number(*number, row.digits), " ", row.label);
    }
    absl::FPrintF(out_, "%s\n", line);
  }
}

}  // namespace storm
