// A short name for a long text, the same in every process and version.
//
//   Fingerprint(request_bytes)   // 32 hexadecimal digits.
//
// It is not cryptographic: whoever chooses texts can choose two that collide,
// and so be given a wrong answer, to a call of its own.
//
// Thread-safety: a pure function.
// Units:         128 bits (FNV-1a).
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_REPLY_CACHE_FINGERPRINT_H_
#define FORBEAR_INTERCEPTORS_REPLY_CACHE_FINGERPRINT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace forbear {

std::string Fingerprint(absl::string_view text);

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_REPLY_CACHE_FINGERPRINT_H_
