#include "examples/shop/manner.h"

namespace shop {
namespace {

constexpr absl::string_view kNames[kManners] = {
    "bare", "deadlines", "jitter", "budget", "guard", "one_layer", "forbear"};

}  // namespace

absl::string_view MannerName(Manner manner) {
  return kNames[static_cast<int>(manner)];
}

bool AbslParseFlag(absl::string_view text, Manner* manner, std::string*) {
  for (int i = 0; i < kManners; ++i) {
    *manner = static_cast<Manner>(i);
    if (MannerName(*manner) == text) return true;
  }
  return false;
}

std::string AbslUnparseFlag(Manner manner) {
  return std::string(MannerName(manner));
}

}  // namespace shop
