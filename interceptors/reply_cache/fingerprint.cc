#include "interceptors/reply_cache/fingerprint.h"

#include "absl/numeric/int128.h"
#include "absl/strings/str_format.h"

namespace forbear {

std::string Fingerprint(absl::string_view text) {
  absl::uint128 hash =
      absl::MakeUint128(0x6c62272e07bb0142, 0x62b821756295c58d);
  const absl::uint128 prime = absl::MakeUint128(0x1000000, 0x13b);
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= prime;
  }
  return absl::StrFormat("%016x%016x", absl::Uint128High64(hash),
                         absl::Uint128Low64(hash));
}

}  // namespace forbear
