#include "interceptors/policy_file/nearest_name.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/ascii.h"

namespace forbear {
namespace {

std::string Letters(absl::string_view name) {
  std::string letters;
  for (char c : name) {
    if (c != '_') letters += absl::ascii_tolower(c);
  }
  return letters;
}

// Levenshtein: letters to add, drop or change.
size_t Distance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = diagonal + (a[i] != b[j] ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string NearestName(absl::string_view name,
                        const std::vector<std::string>& known) {
  constexpr size_t kLongest = 100;  // No name of ours comes near it.
  if (name.size() > kLongest) return "";
  const std::string wanted = Letters(name);
  size_t least = std::max<size_t>(2, wanted.size() / 3) + 1;
  std::string nearest;
  for (const std::string& candidate : known) {
    const std::string letters = Letters(candidate);
    const bool part =
        wanted.size() >= 4 && letters.find(wanted) != std::string::npos;
    const size_t distance = part ? 1 : Distance(wanted, letters);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace forbear
