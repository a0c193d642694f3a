#include "interceptors/context/chance.h"

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"

namespace forbear {

Chance::result_type Chance::operator()() {
  thread_local absl::BitGen generator;
  return generator();
}

std::string RandomKey() {
  Chance chance;
  return absl::StrCat(absl::Hex(chance(), absl::kZeroPad16),
                      absl::Hex(chance(), absl::kZeroPad16));
}

}  // namespace forbear
