#include "interceptors/policy_file/problems.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace forbear {
namespace {

// Nobody reads more, and a file of 4 MiB could have a million.
constexpr int kShown = 100;

}  // namespace

void Problems::Error(absl::string_view place, absl::string_view what) {
  if (++errors_ <= kShown) lines_.push_back(Line(place, what));
}

void Problems::Warning(absl::string_view place, absl::string_view what) {
  warnings_.push_back(Line(place, what));
}

absl::Status Problems::Status() const {
  if (errors_ == 0) return absl::OkStatus();
  std::string text = absl::StrJoin(lines_, "\n");
  if (errors_ > kShown) {
    absl::StrAppend(
        &text, "\n",
        Line("", absl::StrCat("has ", errors_ - kShown, " more errors")));
  }
  return absl::InvalidArgumentError(text);
}

std::string Problems::Line(absl::string_view place,
                           absl::string_view what) const {
  return absl::StrCat(file_, file_.empty() ? "" : ": ", place,
                      place.empty() ? "" : ": ", what);
}

}  // namespace forbear
