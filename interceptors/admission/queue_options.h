// How calls wait before their handlers, and for how long.
//
//   QueueOptions queue;
//   queue.target = absl::Milliseconds(50);
//   absl::Status status = queue.Validate("ServerOptions.queue.");
//
// Thread-safety: a value; const members may be called concurrently.
// Units:         absl::Duration; ranges beside each field.
// Errors:        Validate() gives INVALID_ARGUMENT that names the field, the
//                range and the value given.
#ifndef FORBEAR_INTERCEPTORS_ADMISSION_QUEUE_OPTIONS_H_
#define FORBEAR_INTERCEPTORS_ADMISSION_QUEUE_OPTIONS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace forbear {

struct QueueOptions {
  // While nobody waits longer, calls are served in the order they came; past
  // it, the newest first. Range: [1 ms, 10 s].
  absl::Duration target = absl::Milliseconds(20);

  // No call waits longer, whatever its deadline. Range: [1 ms, 1 h].
  absl::Duration max_time = absl::Seconds(5);

  // No more calls wait at once. Range: [0, 1,000,000]; 0: nobody waits.
  int max_calls = 10000;

  // `where` comes before the field's name.
  absl::Status Validate(absl::string_view where) const;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_ADMISSION_QUEUE_OPTIONS_H_
