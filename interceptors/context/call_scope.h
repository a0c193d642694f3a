// The inbound call that this code is running for.
//
// A server's guard enters a scope around each handler. Calls made inside it
// through a forbear channel inherit its deadline and its cancellation, with no
// line written; what is not gRPC (a database, a cache) asks for the time left.
//
//   auto scope = forbear::CallScope::Current();  // Null outside any handler.
//   queue.Add([scope] {                          // Work that goes on later
//     forbear::CallScope::Enter in(scope);       // belongs to the same call.
//     db.Query(sql, scope->TimeLeft());
//   });
//   forbear::CallScope::Detach out;              // This outlives its request.
//
// A scope ends when its call is answered. Calls made in an ended scope are
// cancelled at once, as gRPC cancels the children of a call that has ended:
// work that must outlive its request detaches first.
//
// Thread-safety: CallScope is safe for concurrent use. Enter and Detach belong
//                to the thread that made them, and are left in reverse order.
// Units:         instants of SteadyNow(); durations are absl::Duration.
// Errors:        none.
#ifndef FORBEAR_INTERCEPTORS_CONTEXT_CALL_SCOPE_H_
#define FORBEAR_INTERCEPTORS_CONTEXT_CALL_SCOPE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/context/in_flight.h"

// gRPC's call, which this room passes on without looking inside.
typedef struct grpc_call grpc_call;

namespace forbear {

class CallScope {
 public:
  // What a server knows of an inbound call.
  struct Inbound {
    // When its caller gives up; infinite future when it never said.
    absl::Time deadline = absl::InfiniteFuture();
    // Its `idempotency-key`, or empty.
    std::string idempotency_key;
    // Parent of the calls made in the scope, for gRPC's own propagation of
    // cancellation. Not touched after End(). May be null (in tests).
    grpc_call* call = nullptr;
    // Whether its caller is gone. Not called after End(). May be empty.
    std::function<bool()> is_cancelled;
  };

  explicit CallScope(Inbound inbound);
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  // The scope of the code that runs on this thread, or null.
  static std::shared_ptr<CallScope> Current();

  // Time until the inbound deadline: negative once it has passed, infinite
  // when there is none.
  absl::Duration TimeLeft() const;
  absl::Time deadline() const { return inbound_.deadline; }

  // True once the caller gave up, the deadline passed, or the call was
  // answered. Asks gRPC: about 30 us in a sync handler.
  bool Cancelled() const;

  // The handler has done nothing, and will fail: a reply cache then lets the
  // call run again under the same idempotency key.
  void NoteNotApplied() { not_applied_ = true; }
  bool not_applied() const { return not_applied_; }

  // --- For the guard and the client; handlers need not look below. ---

  // The call was answered: nothing below reaches gRPC any more.
  void End();

  // Runs `use` with the parent call while it is sure to be alive, and returns
  // true; returns false without running it once the scope has ended. `use` may
  // not come back to this scope.
  bool WithParent(const std::function<void(grpc_call* parent)>& use) const;

  // The key for a call to `method` made in this scope: derived from the
  // inbound key, the method and `tag` (else the count of such calls), so that
  // a handler that runs again sends the same keys (see derived_key.h). Calls to
  // one method that start in no fixed order need tags. Empty without an inbound
  // key.
  std::string DeriveKey(absl::string_view method, absl::string_view tag);

  // A call made in this scope gave up with `code`. The guard asks for it when
  // the handler fails, to tell its caller that retrying was already done.
  void NoteGaveUp(absl::StatusCode code);
  bool GaveUpWith(absl::StatusCode code) const;

  // Enters a scope on this thread until destroyed. Null leaves all scopes.
  class Enter {
   public:
    explicit Enter(std::shared_ptr<CallScope> scope);
    ~Enter();
    Enter(const Enter&) = delete;
    Enter& operator=(const Enter&) = delete;

   private:
    friend class CallScope;
    std::shared_ptr<CallScope> scope_;
    Enter* const outer_;
  };

  // Leaves all scopes on this thread until destroyed.
  class Detach {
   public:
    Detach() : none_(nullptr) {}

   private:
    Enter none_;
  };

  // The scope of this thread without sharing it: for the call path.
  static CallScope* Here();

 private:
  const InFlight counted_{InFlight::kScope};
  const Inbound inbound_;
  std::atomic<uint32_t> gave_up_{0};  // A bit for each status code.
  std::atomic<bool> not_applied_{false};
  mutable std::mutex mutex_;  // Guards all below, and gRPC's use.
  bool ended_ = false;
  std::map<std::string, int, std::less<>> calls_by_method_;
};

}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_CONTEXT_CALL_SCOPE_H_
