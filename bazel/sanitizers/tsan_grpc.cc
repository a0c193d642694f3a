// Tells ThreadSanitizer what gRPC's completion queues order.
//
// Debian's gRPC is not instrumented, and hands an operation from thread to
// thread by atomics that TSan cannot see. Here whoever begins or ends an
// operation releases its tag, and whoever is given the tag back acquires it: no
// more than a completion queue promises.

#include <grpc/grpc.h>
#include <sanitizer/tsan_interface.h>

#include <atomic>
#include <utility>

#include "absl/status/status.h"
#include "bazel/sanitizers/tsan_real.h"
#include "grpcpp/support/server_callback.h"

// Of gRPC's own, exported and in no public header.
grpc_cq_completion_type grpc_get_cq_completion_type(grpc_completion_queue* cq);
bool grpc_cq_begin_op(grpc_completion_queue* cq, void* tag);
struct grpc_cq_completion;
using Done = void (*)(void*, grpc_cq_completion*);
void grpc_cq_end_op(grpc_completion_queue* cq, void* tag, absl::Status error,
                    Done done, void* done_arg, grpc_cq_completion* storage,
                    bool internal);

namespace {

using Functor = grpc_completion_queue_functor;
using Run = void (*)(Functor*, int);

// gRPC++ has three functions that callbacks start in, and forbear one of its
// own; one slot for each.
constexpr int kSlots = 6;
std::atomic<Run> originals[kSlots];

template <int slot>
void AcquireAndRun(Functor* functor, int ok) {
  __tsan_acquire(functor);
  originals[slot].load(std::memory_order_relaxed)(functor, ok);
}

constexpr Run kWrappers[kSlots] = {AcquireAndRun<0>, AcquireAndRun<1>,
                                   AcquireAndRun<2>, AcquireAndRun<3>,
                                   AcquireAndRun<4>, AcquireAndRun<5>};

// Makes the callback acquire its tag before it runs.
void Wrap(Functor* functor) {
  for (const Run wrapper : kWrappers) {
    if (functor->functor_run == wrapper) return;
  }
  for (int slot = 0; slot < kSlots; ++slot) {
    Run expected = nullptr;
    originals[slot].compare_exchange_strong(expected, functor->functor_run,
                                            std::memory_order_relaxed);
    if (expected == nullptr || expected == functor->functor_run) {
      functor->functor_run = kWrappers[slot];
      return;
    }
  }
}

}  // namespace

bool grpc_cq_begin_op(grpc_completion_queue* cq, void* tag) {
  static const auto real = Real<bool (*)(grpc_completion_queue*, void*)>(
      "_Z16grpc_cq_begin_opP21grpc_completion_queuePv");
  if (grpc_get_cq_completion_type(cq) == GRPC_CQ_CALLBACK) {
    Wrap(static_cast<Functor*>(tag));
  }
  __tsan_release(tag);
  return real(cq, tag);
}

void grpc_cq_end_op(grpc_completion_queue* cq, void* tag, absl::Status error,
                    Done done, void* done_arg, grpc_cq_completion* storage,
                    bool internal) {
  static const auto real = Real<decltype(&grpc_cq_end_op)>(
      "_Z14grpc_cq_end_opP21grpc_completion_queuePvN4absl7debian36Status"
      "EPFvS1_P18grpc_cq_completionES1_S6_b");
  __tsan_release(tag);
  real(cq, tag, std::move(error), done, done_arg, storage, internal);
}

extern "C" grpc_event grpc_completion_queue_next(grpc_completion_queue* cq,
                                                 gpr_timespec deadline,
                                                 void* reserved) {
  static const auto real =
      Real<grpc_event (*)(grpc_completion_queue*, gpr_timespec, void*)>(
          "grpc_completion_queue_next");
  const grpc_event event = real(cq, deadline, reserved);
  if (event.type == GRPC_OP_COMPLETE) __tsan_acquire(event.tag);
  return event;
}

extern "C" grpc_event grpc_completion_queue_pluck(grpc_completion_queue* cq,
                                                  void* tag,
                                                  gpr_timespec deadline,
                                                  void* reserved) {
  static const auto real =
      Real<grpc_event (*)(grpc_completion_queue*, void*, gpr_timespec, void*)>(
          "grpc_completion_queue_pluck");
  const grpc_event event = real(cq, tag, deadline, reserved);
  if (event.type == GRPC_OP_COMPLETE) __tsan_acquire(tag);
  return event;
}

namespace grpc {
namespace internal {

// A callback service counts down to these two, partly in gRPC's own code.
void ServerCallbackCall::ScheduleOnDone(bool inline_ondone) {
  static const auto real = Real<void (*)(ServerCallbackCall*, bool)>(
      "_ZN4grpc8internal18ServerCallbackCall14ScheduleOnDoneEb");
  callbacks_outstanding_.load(std::memory_order_acquire);
  real(this, inline_ondone);
}

void ServerCallbackCall::CallOnCancel(ServerReactor* reactor) {
  static const auto real = Real<void (*)(ServerCallbackCall*, ServerReactor*)>(
      "_ZN4grpc8internal18ServerCallbackCall12CallOnCancelEPNS0_"
      "13ServerReactorE");
  on_cancel_conditions_remaining_.load(std::memory_order_acquire);
  real(this, reactor);
}

}  // namespace internal
}  // namespace grpc
