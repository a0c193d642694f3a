// The one source of chance of the library.
//
//   backoff.Next(chance);    // With a Chance chance; a thread has its own.
//
// Thread-safety: safe; every thread draws from a generator of its own, which
//                is made when the thread first draws.
// Units:         uniform 64-bit numbers; a C++ URBG.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CONTEXT_CHANCE_H_
#define FORBEAR_INTERCEPTORS_CONTEXT_CHANCE_H_

#include <cstdint>
#include <limits>
#include <string>

namespace forbear {

struct Chance {
  using result_type = uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() {
    return std::numeric_limits<result_type>::max();
  }
  result_type operator()();
};

// A key that no other call has: 128 random bits in hexadecimal digits.
std::string RandomKey();

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CONTEXT_CHANCE_H_
