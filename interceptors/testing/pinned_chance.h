// Chance that always falls the same way: jitter pinned to its bottom, or to its
// top.
//
//   PinnedChance top = PinnedChance::Top();
//   backoff.Next(top);   // With full jitter: the ceiling itself.
//
// Thread-safety: a value; it has no state to share.
// Units:         64 bits a draw, all the same.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_TESTING_PINNED_CHANCE_H_
#define FORBEAR_INTERCEPTORS_TESTING_PINNED_CHANCE_H_

#include <cstdint>
#include <limits>

namespace forbear {

class PinnedChance {
 public:
  using result_type = uint64_t;

  static constexpr PinnedChance Bottom() { return PinnedChance(min()); }
  static constexpr PinnedChance Top() { return PinnedChance(max()); }

  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() {
    return std::numeric_limits<uint64_t>::max();
  }

  constexpr uint64_t operator()() { return draw_; }

 private:
  explicit constexpr PinnedChance(uint64_t draw) : draw_(draw) {}

  uint64_t draw_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_TESTING_PINNED_CHANCE_H_
