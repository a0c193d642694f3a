// What one call wants otherwise than its method's policy.
//
//   forbear::CallOptions options;
//   options.max_attempts = 1;                    // No retries, this time.
//   options.idempotency_key = order.id();
//   forbear::CallOptions::For with(&context, options);
//   grpc::Status status = stub->Charge(&context, request, &reply);
//
// A ClientContext has no room for them. `For` keeps them on the stack instead,
// and the call that is made with this context, on this thread, while it lives,
// takes a copy: with a sync stub by the call itself, with others by the
// function that makes it (AsyncCharge(), PrepareAsyncCharge(),
// async()->Charge()). So nothing has to outlive that line, nothing is left
// behind, other calls see nothing of it and pay a look at a thread_local. On a
// channel that is not forbear's they do nothing.
//
// Thread-safety: CallOptions is a value. A For belongs to the thread that made
//                it; several are left in reverse order. Of two for the same
//                context the inner one holds.
// Units:         absl::Duration; ranges beside each field.
// Errors:        a call with a field out of its range is not sent, and fails
//                with INVALID_ARGUMENT that names the field, the range and the
//                value given.
#ifndef FORBEAR_INTERCEPTORS_CLIENT_CALL_OPTIONS_H_
#define FORBEAR_INTERCEPTORS_CLIENT_CALL_OPTIONS_H_

#include <grpcpp/client_context.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interceptors/policy/method_policy.h"

namespace forbear {

struct CallOptions {
  // Attempts in all, hedges included; 1: no retries. Unset: the policy's.
  // Range: [1, MethodPolicy::kUnlimitedAttempts].
  std::optional<int> max_attempts;

  // The longest that one attempt may take. Unset: the policy's.
  // Range: [1 ms, infinite].
  std::optional<absl::Duration> attempt_timeout;

  // Sent with every attempt, instead of any other. It makes a call repeatable
  // only where the policy says that the server honours keys. Printable ASCII.
  std::string idempotency_key;

  // Tells this call from others to the same method in the same handler, when
  // keys are derived: see CallScope::DeriveKey().
  std::string tag;

  // False: no hedges.
  bool hedge = true;

  absl::Status Validate() const;

  class For;

  // --- For channels; callers need not look below. ---

  // What the thread that is creating a call with `context` has said about it;
  // null if nothing.
  static const CallOptions* Of(const grpc::ClientContext* context);
  static std::unique_ptr<const CallOptions> CopyOf(
      const grpc::ClientContext* context);

  // `policy` as these options have it.
  MethodPolicy Change(MethodPolicy policy) const;
  // Puts the key, if there is a valid one, among what the call sends.
  void SetKey(std::multimap<std::string, std::string>* metadata) const;
};

class CallOptions::For {
 public:
  // Neither is owned; both outlive it.
  For(const grpc::ClientContext* context, const CallOptions& options)
      : context_(context), options_(&options), outer_(innermost_) {
    innermost_ = this;
  }
  ~For() { innermost_ = outer_; }
  For(const For&) = delete;
  For& operator=(const For&) = delete;

 private:
  friend struct CallOptions;
  static inline thread_local const For* innermost_ = nullptr;

  const grpc::ClientContext* const context_;
  const CallOptions* const options_;
  const For* const outer_;
};

inline const CallOptions* CallOptions::Of(const grpc::ClientContext* context) {
  const For* with = For::innermost_;
  while (with != nullptr && with->context_ != context) with = with->outer_;
  return with == nullptr ? nullptr : with->options_;
}

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CLIENT_CALL_OPTIONS_H_
