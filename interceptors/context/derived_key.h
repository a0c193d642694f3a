// The idempotency key of a call that a handler makes, from the handler's own.
//
// A handler that is run again must send the keys that it sent before, so a key
// is derived, not drawn: from the inbound key, the method, and a tag of the
// caller's or else the count of such calls. It stays readable where it can:
//
//   TaggedKey("c1f9", "/shop.Stock/Take", "book") ==
//   "c1f9/shop.Stock/Take/book" CountedKey("c1f9", "/shop.Stock/Take", 2) ==
//   "c1f9/shop.Stock/Take/#2"
//
// Read from its end, a key has one meaning only: a tag holds no '/' and does
// not begin with '#', and a method has exactly one '/'. What is longer than its
// share, or would break these rules or those of gRPC metadata, is replaced by
// '~' and a hash of it. The hash is the same in every process and version; it
// is not cryptographic: whoever chooses keys can choose two that collide, and
// so repeat a call of their own.
//
// Thread-safety: pure functions.
// Units:         a key has at most kLongestKey bytes, all visible ASCII.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CONTEXT_DERIVED_KEY_H_
#define FORBEAR_INTERCEPTORS_CONTEXT_DERIVED_KEY_H_

#include <string>

#include "absl/strings/string_view.h"

namespace forbear {

inline constexpr int kLongestKey = 200;

// `method` as gRPC writes it: "/package.Service/Method".
std::string TaggedKey(absl::string_view inbound, absl::string_view method,
                      absl::string_view tag);
std::string CountedKey(absl::string_view inbound, absl::string_view method,
                       int count);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CONTEXT_DERIVED_KEY_H_
