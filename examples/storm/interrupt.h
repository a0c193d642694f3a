// Waiting that the user may end, with Ctrl-C or SIGTERM.
//
//   Interrupt interrupt;                          // Before any thread is made.
//   if (!interrupt.WaitUntil(next)) return;       // The user wants out.
//
// Thread-safety: used by one thread.
// Units:         instants of forbear::SteadyNow().
// Errors:        none.
#ifndef FORBEAR_EXAMPLES_STORM_INTERRUPT_H_
#define FORBEAR_EXAMPLES_STORM_INTERRUPT_H_

#include <signal.h>

#include "absl/time/time.h"

namespace storm {

class Interrupt {
 public:
  Interrupt();

  // False at once when the user has asked for an end, now or before.
  bool WaitUntil(absl::Time instant);

 private:
  sigset_t signals_;
  bool ended_ = false;
};

}  // namespace storm

#endif  // FORBEAR_EXAMPLES_STORM_INTERRUPT_H_
