// Numbers as people read them.
//
//   Thousands(15'900)   // "15,900"
//   Tenths(4'081)       // "408.1"
//
// Thread-safety: pure functions.
// Units:         none.
// Errors:        none; numbers are not negative.
#ifndef FORBEAR_EXAMPLES_LAB_THOUSANDS_H_
#define FORBEAR_EXAMPLES_LAB_THOUSANDS_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace lab {

inline std::string Thousands(int64_t number) {
  std::string text = absl::StrCat(number);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(at, ",");
  }
  return text;
}

inline std::string Tenths(int64_t tenths) {
  return absl::StrCat(Thousands(tenths / 10), ".", tenths % 10);
}

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_THOUSANDS_H_
