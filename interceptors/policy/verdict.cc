#include "interceptors/policy/verdict.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace forbear {
namespace {

struct Words {
  absl::string_view name;
  absl::string_view phrase;
  bool held_back;  // A gate after the first said no.
  bool gave_up;    // See GaveUp().
};

// In the order of the enum.
constexpr Words kWords[] = {
    {"succeeded", "succeeded", false, false},
    {"permanent", "permanent failure", false, false},
    {"refused_by_server", "refused by server", true, true},
    {"committed", "answer already begun", true, true},
    {"deferred", "left to the caller", true, false},
    {"left_to_channel", "left to the channel", false, false},
    {"not_repeatable", "not repeatable", true, true},
    {"attempts_spent", "attempts spent", true, true},
    {"deadline_too_close", "deadline too close", true, true},
    {"observed", "observing only", false, false},
    {"budget_spent", "budget spent", true, true},
    {"cancelled", "cancelled", false, false},
    {"deadline", "deadline passed", false, false},
};
static_assert(std::size(kWords) == kVerdicts);

const Words& Of(Verdict verdict) { return kWords[static_cast<int>(verdict)]; }

std::string Suffix(int64_t attempts, int64_t millis, absl::string_view phrase) {
  return absl::StrCat("(forbear: ", attempts,
                      attempts == 1 ? " attempt in " : " attempts in ", millis,
                      " ms, stopped: ", phrase, ")");
}

// Takes the number that `text` begins with.
bool ConsumeNumber(absl::string_view* text, int64_t* number) {
  const auto end = std::find_if_not(text->begin(), text->end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
  const size_t length = static_cast<size_t>(end - text->begin());
  const bool read = absl::SimpleAtoi(text->substr(0, length), number);
  text->remove_prefix(length);
  return read;
}

// `message` without the suffix of ours that ends it. Phrases are not looked
// up: a peer's version may have others.
absl::string_view WithoutSuffix(absl::string_view message) {
  const size_t begin = message.rfind("(forbear: ");
  if (begin == absl::string_view::npos) return message;
  absl::string_view rest = message.substr(begin);
  const absl::string_view suffix = rest;
  int64_t attempts = 0;
  int64_t millis = 0;
  absl::ConsumePrefix(&rest, "(forbear: ");
  if (!ConsumeNumber(&rest, &attempts)) return message;
  absl::ConsumePrefix(&rest, attempts == 1 ? " attempt in " : " attempts in ");
  if (!ConsumeNumber(&rest, &millis)) return message;
  absl::ConsumePrefix(&rest, " ms, stopped: ");
  absl::ConsumeSuffix(&rest, ")");
  const bool phrase =
      !rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) {
        return c == ' ' || (c >= 'a' && c <= 'z');
      });
  // Whatever was not consumed above, or was written otherwise, shows here.
  if (!phrase || Suffix(attempts, millis, rest) != suffix) return message;
  return absl::StripSuffix(message.substr(0, begin), " ");
}

}  // namespace

absl::string_view VerdictName(Verdict verdict) { return Of(verdict).name; }

absl::string_view VerdictPhrase(Verdict verdict) { return Of(verdict).phrase; }

bool GaveUp(Verdict verdict) { return Of(verdict).gave_up; }

std::string WithSuffix(absl::string_view message, Verdict verdict, int attempts,
                       absl::Duration elapsed) {
  const bool nothing_to_say = verdict == Verdict::kSucceeded ||
                              (attempts == 1 && !Of(verdict).held_back);
  if (nothing_to_say) return std::string(message);
  const absl::string_view said = WithoutSuffix(message);
  const int64_t millis =
      std::max<int64_t>(absl::ToInt64Milliseconds(elapsed), 0);
  return absl::StrCat(said, said.empty() ? "" : " ",
                      Suffix(attempts, millis, Of(verdict).phrase));
}

}  // namespace forbear
