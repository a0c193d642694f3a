// Holds the thread up, as a card network or a loop by hand does.
//
//   shop::Pause(absl::Milliseconds(10));
//
// Thread-safety: safe; it blocks the thread that calls it.
// Units:         absl::Duration.
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_SHOP_PAUSE_H_
#define FORBEAR_EXAMPLES_SHOP_PAUSE_H_

#include "absl/time/time.h"

namespace shop {

void Pause(absl::Duration time);

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SHOP_PAUSE_H_
