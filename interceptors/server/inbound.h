// What a call brought along that its scope wants to know.
//
//   const absl::Time now = SteadyNow();
//   const absl::Duration left = InboundDeadline(context, now) - now;
//   InboundKey key;
//   for (const auto& [name, value] : metadata) key.See(name, value);
//
// Thread-safety: functions over the call's own context; InboundKey belongs to
//                one thread.
// Units:         instants of SteadyNow().
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_SERVER_INBOUND_H_
#define FORBEAR_INTERCEPTORS_SERVER_INBOUND_H_

#include <grpcpp/server_context.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/context/metadata_keys.h"

namespace forbear {

// When the caller gives up: in the past if it has, infinite future if it never
// will. `now` is this moment.
absl::Time InboundDeadline(const grpc::ServerContextBase& context,
                           absl::Time now);

// Finds the call's idempotency key among its metadata. Of several, nobody knows
// which one holds: they count as none. What a key may look like is no question
// here, since keys derived from it are made safe to send (derived_key.h).
class InboundKey {
 public:
  void See(absl::string_view name, absl::string_view value) {
    if (name.size() == kIdempotencyKey.size() && name == kIdempotencyKey) {
      ++seen_;
      value_ = value;
    }
  }
  int count() const { return seen_; }
  // Whether a reply can be kept under it: one key, of at most kLongestKey
  // visible ASCII bytes.
  absl::Status Fault() const;
  // The key, or empty. What was seen must still be there.
  std::string Copy() const {
    return seen_ == 1 ? std::string(value_) : std::string();
  }

 private:
  int seen_ = 0;
  absl::string_view value_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_SERVER_INBOUND_H_
