// What a server's guard does, and when.
//
//   ServerOptions options;
//   options.minimum_time_left = absl::Milliseconds(5);
//   options.observer = std::make_shared<MyMetrics>();
//   ServerGuard guard(options);
//
// Thread-safety: a value; const members may be called concurrently.
// Units:         absl::Duration throughout; ranges beside each field.
// Errors:        Validate() gives INVALID_ARGUMENT that names the field, the
//                range and the value given.
#ifndef FORBEAR_INTERCEPTORS_SERVER_SERVER_OPTIONS_H_
#define FORBEAR_INTERCEPTORS_SERVER_SERVER_OPTIONS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/admission/queue_options.h"
#include "interceptors/policy/method_policy.h"
#include "interceptors/reply_cache/reply_cache.h"
#include "interceptors/telemetry/observer.h"

namespace forbear {

// What holds for one method.
struct ServerMethodOptions {
  // Like ServerOptions::max_concurrent_calls, of this method alone.
  int max_concurrent_calls = 0;
};

// Who calls.
struct Peer {
  absl::string_view identity;  // As authenticated; empty if it is not.
  absl::string_view address;   // As gRPC writes it: "ipv4:10.0.0.7:4711".
};

struct ServerOptions {
  // kOff registers services as if there were no guard: no scope, no count.
  // kObserve counts the calls it would have refused and runs their handlers;
  // no answer says whether to retry.
  Mode mode = Mode::kEnforce;

  // A call that has less time left when it reaches its handler is doomed: it
  // is refused like an expired one. Range: [0, 1 h]; 0 refuses expired calls
  // only.
  absl::Duration minimum_time_left = absl::ZeroDuration();

  // A unary method's own time is measured: the median of its successful calls
  // within the last minute, once there were 100. A call with less time left is
  // counted as one too slow to be of use; with this it is refused as well.
  bool enforce_measured_time = false;

  // How long a handler may take: for callers who set no deadline, and for all.
  // Past it the call is cancelled, with all that was made for it, and its
  // caller answered DEADLINE_EXCEEDED. Range: [1 ms, infinite].
  absl::Duration default_deadline = absl::InfiniteDuration();
  absl::Duration max_deadline = absl::InfiniteDuration();

  // --- Admission: who may start, and who waits ---

  // So many handlers run at once; others wait in a queue, without a thread, or
  // are told when to come back. Range: [0, 1,000,000]; 0: no limit.
  int max_concurrent_calls = 0;
  // If not 0, the server's limit finds itself, between this and
  // max_concurrent_calls, from how long unary handlers take: fewer run at once
  // when they slow each other down. The rule is in adaptive_limit.h. For
  // servers whose calls take about the same. Range: [0, max_concurrent_calls].
  int least_concurrent_calls = 0;
  // By name: "package.Service/Method".
  std::map<std::string, ServerMethodOptions> methods;
  QueueOptions queue;

  // Calls of one name share what one caller may have when room is short. Null:
  // the authenticated identity, else the address without its port (one program
  // may open many).
  std::function<std::string(const Peer& peer)> caller_of;
  // Whose word about itself counts: which of its calls are retries, and how
  // urgent they are (metadata `priority`, RFC 9218). By the name that callers
  // have here.
  std::vector<std::string> trusted_peers;

  // Gives calls that come again, by their idempotency keys, the answer they
  // were given before; see its header. Unary methods with protocol buffers
  // only. Null: none. A key belongs to its caller and its method.
  std::shared_ptr<ReplyCache> reply_cache;

  // Told of handlers entered, refused and ended. May be null.
  std::shared_ptr<Observer> observer;

  absl::Status Validate() const;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_SERVER_OPTIONS_H_
