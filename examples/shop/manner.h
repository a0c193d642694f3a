// How the shop goes about failures: from retries by hand to all of forbear,
// each manner with one measure more than the one before it.
//
//   ABSL_FLAG(shop::Manner, manner, shop::Manner::kForbear, shop::kMannerHelp);
//   if (manner >= shop::Manner::kBudget) ...
//
// Thread-safety: values.
// Units:         none.
// Errors:        a name that there is not is refused, by the flag's help.
#ifndef FORBEAR_EXAMPLES_SHOP_MANNER_H_
#define FORBEAR_EXAMPLES_SHOP_MANNER_H_

#include <string>

#include "absl/strings/string_view.h"

namespace shop {

enum class Manner {
  kBare,       // Each layer tries four times, after 10, 20 and 40 ms.
  kDeadlines,  // The customer's deadline is passed on, and ends the tries.
  kJitter,     // Waits are drawn, up to 200 ms that double.
  kBudget,     // A process has a tenth of its calls for retries.
  kGuard,      // Servers refuse late calls, and let others wait for a turn.
  kOneLayer,   // Each call has one layer that retries, the lowest.
  kForbear,    // The library's channels, and keys: see README.md.
};
constexpr int kManners = static_cast<int>(Manner::kForbear) + 1;

constexpr char kMannerHelp[] =
    "bare, deadlines, jitter, budget, guard, one_layer or forbear: each does "
    "what those before it do, and one thing more";

// As the flag takes it.
absl::string_view MannerName(Manner manner);

bool AbslParseFlag(absl::string_view text, Manner* manner, std::string* error);
std::string AbslUnparseFlag(Manner manner);

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SHOP_MANNER_H_
