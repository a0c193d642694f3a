#include "interceptors/server/call_deadline.h"

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>

#include <atomic>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "interceptors/context/in_flight.h"

namespace forbear {
namespace {

enum class Phase { kRunning, kEnded, kOver };

}  // namespace

// Kept by the alarm's function until that has run; the reference keeps the
// call's memory as long.
struct CallDeadline::State {
  State(grpc_call* the_call, absl::Duration the_time)
      : call(the_call), time(the_time) {
    grpc_call_ref(call);
  }
  ~State() { grpc_call_unref(call); }

  bool Become(Phase next) {
    Phase running = Phase::kRunning;
    return phase.compare_exchange_strong(running, next);
  }
  void End() {
    if (!Become(Phase::kEnded)) return;
    const std::string why =
        absl::StrCat("this server lets the call take ",
                     absl::FormatDuration(time), " and no longer");
    grpc_call_cancel_with_status(call, GRPC_STATUS_DEADLINE_EXCEEDED,
                                 why.c_str(), nullptr);
  }

  grpc_call* const call;
  const absl::Duration time;
  std::atomic<Phase> phase{Phase::kRunning};
  grpc::Alarm alarm;
  const InFlight counted{InFlight::kAlarm};
};

CallDeadline::CallDeadline(grpc_call* call, absl::Time now, absl::Duration time)
    : at_(now + time), state_(std::make_shared<State>(call, time)) {
  const timespec span = absl::ToTimespec(time);
  const gpr_timespec after{span.tv_sec, static_cast<int32_t>(span.tv_nsec),
                           GPR_TIMESPAN};
  // The alarm keeps its function, and with it the state, until it is moved out.
  state_->alarm.Set(after, [state = state_](bool fired) mutable {
    const std::shared_ptr<State> self = std::move(state);
    if (fired) self->End();
  });
}

bool CallDeadline::Over(absl::Time now) {
  if (now >= at_) state_->End();
  state_->Become(Phase::kOver);
  return state_->phase == Phase::kEnded;
}

CallDeadline::~CallDeadline() {
  state_->Become(Phase::kOver);
  state_->alarm.Cancel();
}

}  // namespace forbear
