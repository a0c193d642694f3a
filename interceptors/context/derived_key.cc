#include "interceptors/context/derived_key.h"

#include <algorithm>

#include "absl/numeric/int128.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace forbear {
namespace {

// Their shares, with two separators, make kLongestKey.
constexpr size_t kInbound = 80;
constexpr size_t kMethod = 80;
constexpr size_t kLast = 38;
static_assert(kInbound + kMethod + kLast + 2 == kLongestKey);

// FNV-1a, 128 bits.
std::string Hashed(absl::string_view text) {
  absl::uint128 hash =
      absl::MakeUint128(0x6c62272e07bb0142, 0x62b821756295c58d);
  const absl::uint128 prime = absl::MakeUint128(0x1000000, 0x13b);
  for (char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= prime;
  }
  return absl::StrFormat("~%016x%016x", absl::Uint128High64(hash),
                         absl::Uint128Low64(hash));
}

bool IsPlain(absl::string_view text, size_t longest) {
  return !text.empty() && text.size() <= longest && text[0] != '~' &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isgraph(c); });
}

std::string Inbound(absl::string_view key) {
  return IsPlain(key, kInbound) ? std::string(key) : Hashed(key);
}

std::string Method(absl::string_view method) {
  absl::ConsumePrefix(&method, "/");
  const bool plain = IsPlain(method, kMethod) &&
                     std::count(method.begin(), method.end(), '/') == 1;
  return plain ? std::string(method) : Hashed(method);
}

std::string Tag(absl::string_view tag) {
  const bool plain =
      IsPlain(tag, kLast) && tag[0] != '#' && !absl::StrContains(tag, '/');
  return plain ? std::string(tag) : Hashed(tag);
}

}  // namespace

std::string TaggedKey(absl::string_view inbound, absl::string_view method,
                      absl::string_view tag) {
  return absl::StrCat(Inbound(inbound), "/", Method(method), "/", Tag(tag));
}

std::string CountedKey(absl::string_view inbound, absl::string_view method,
                       int count) {
  return absl::StrCat(Inbound(inbound), "/", Method(method), "/#", count);
}

}  // namespace forbear
