#include "interceptors/context/urgency.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace forbear {

int UrgencyIn(absl::string_view priority) {
  int urgency = kUsualUrgency;
  for (absl::string_view member : absl::StrSplit(priority, ',')) {
    member = absl::StripAsciiWhitespace(member);
    if (!absl::ConsumePrefix(&member, "u=")) continue;
    // A parameter may follow. The last member of a name holds.
    member = member.substr(0, member.find(';'));
    urgency = member.size() == 1 && member[0] >= '0' && member[0] <= '7'
                  ? member[0] - '0'
                  : kUsualUrgency;
  }
  return urgency;
}

}  // namespace forbear
