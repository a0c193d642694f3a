// The SplitMix64 generator, as published: the same seed gives the same draws
// on every machine, in every version.
//
//   SplitMix64 chance(7);
//   backoff.Next(chance);   // Whatever takes an absl::BitGenRef takes it.
//
// Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014,
// with the constants of Vigna's splitmix64.c.
//
// Thread-safety: thread-compatible; give each simulated client its own.
// Units:         64 uniform bits a draw.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_TESTING_SPLIT_MIX64_H_
#define FORBEAR_INTERCEPTORS_TESTING_SPLIT_MIX64_H_

#include <cstdint>
#include <limits>

namespace forbear {

class SplitMix64 {
 public:
  using result_type = uint64_t;

  explicit constexpr SplitMix64(uint64_t seed) : state_(seed) {}

  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() {
    return std::numeric_limits<uint64_t>::max();
  }

  constexpr uint64_t operator()() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_TESTING_SPLIT_MIX64_H_
