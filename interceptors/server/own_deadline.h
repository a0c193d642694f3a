// When a handler must be done.
//
//   const absl::Time own = OwnDeadline(options, callers_deadline, now);
//
// Thread-safety: a pure function.
// Units:         instants of one clock.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_SERVER_OWN_DEADLINE_H_
#define FORBEAR_INTERCEPTORS_SERVER_OWN_DEADLINE_H_

#include <algorithm>

#include "absl/time/time.h"
#include "interceptors/server/server_options.h"

namespace forbear {

// The caller's deadline, or an earlier one that the server sets.
inline absl::Time OwnDeadline(const ServerOptions& options, absl::Time callers,
                              absl::Time now) {
  if (options.mode != Mode::kEnforce) return callers;
  const absl::Duration wanted = callers == absl::InfiniteFuture()
                                    ? options.default_deadline
                                    : callers - now;
  return now + std::min(wanted, options.max_deadline);
}

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_OWN_DEADLINE_H_
