// Part 2, layers: the attempts that reach a dead dependency for one request.
//
// Each layer is a service whose handler makes one call downwards, through an
// engine of its own; the lowest call reaches the dependency.
//
//   AttemptsReaching({3, 3}, Signal::kOff);   // 4 x 4 x 4 = 64.
//   AttemptsReaching({3, 3}, Signal::kOn);    // The lowest layer's 4.
//
// With the signal, a layer whose call gave up says so in its answer, as the
// server's guard does (interceptors/server/answer.h), and the engine above
// reads it off the trailer, as the client does.
//
// Thread-safety: pure functions.
// Units:         attempts.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_LAB_LAYERS_H_
#define FORBEAR_EXAMPLES_LAB_LAYERS_H_

#include <cstdint>

namespace lab {

struct Stack {
  int layers = 1;
  int retries = 0;  // Of each layer.
};

// Those of the table.
inline constexpr Stack kStacks[] = {
    {1, 0}, {1, 3}, {3, 2}, {3, 3}, {4, 2}, {5, 2},
};

// Whether a layer that gave up tells the one above it.
enum class Signal : uint8_t { kOff, kOn };

int AttemptsReaching(const Stack& stack, Signal signal);

}  // namespace lab

#endif  // FORBEAR_EXAMPLES_LAB_LAYERS_H_
