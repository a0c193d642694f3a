// The lab's own kinds of flags: whole numbers in a range.
//
//   using Clients = Whole<1, 10'000>;
//   ABSL_FLAG(Clients, clients, {100}, "a whole number from 1 to 10000");
//
// Thread-safety: values.
// Units:         as the flag's help says.
// Errors:        a value that is no whole number, or not in the range, does
//                not parse.
#ifndef FORBEAR_EXAMPLES_LAB_FLAGS_H_
#define FORBEAR_EXAMPLES_LAB_FLAGS_H_

#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace lab {

template <int64_t lo, int64_t hi>
struct Whole {
  int64_t number = lo;
};

template <int64_t lo, int64_t hi>
bool AbslParseFlag(absl::string_view text, Whole<lo, hi>* whole, std::string*) {
  return absl::SimpleAtoi(text, &whole->number) && whole->number >= lo &&
         whole->number <= hi;
}

template <int64_t lo, int64_t hi>
std::string AbslUnparseFlag(Whole<lo, hi> whole) {
  return absl::StrCat(whole.number);
}

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_FLAGS_H_
