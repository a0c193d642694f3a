// Tells ThreadSanitizer what gRPC orders.
//
// Debian's gRPC is not instrumented, and hands work from thread to thread by
// atomics and sockets that TSan cannot see. Here whoever hands over releases,
// and whoever takes over acquires:
// - an operation's tag, from its beginning and its end to the queue or callback
//   that gives it back;
// - what a peer in this process may hear of it, through the call's combiner and
//   the connection to a write, and from a write to all that ends after it.

#include <grpc/grpc.h>
#include <sanitizer/tsan_interface.h>

#include <atomic>
#include <utility>

#include "absl/status/status.h"
#include "bazel/sanitizers/tsan_real.h"
#include "grpcpp/support/server_callback.h"

// Of gRPC's own: exported, and in no public header.
struct grpc_closure;
struct grpc_cq_completion;
struct grpc_chttp2_transport;
struct grpc_stream;
struct grpc_transport;
struct grpc_transport_stream_op_batch;

struct grpc_chttp2_begin_write_result {
  bool writing;
  bool partial;
  bool early_results_scheduled;
};

grpc_cq_completion_type grpc_get_cq_completion_type(grpc_completion_queue* cq);
bool grpc_cq_begin_op(grpc_completion_queue* cq, void* tag);
using Done = void (*)(void*, grpc_cq_completion*);
void grpc_cq_end_op(grpc_completion_queue* cq, void* tag, absl::Status error,
                    Done done, void* done_arg, grpc_cq_completion* storage,
                    bool internal);
void grpc_transport_perform_stream_op(grpc_transport* transport,
                                      grpc_stream* stream,
                                      grpc_transport_stream_op_batch* op);
grpc_chttp2_begin_write_result grpc_chttp2_begin_write(
    grpc_chttp2_transport* transport);

namespace grpc_core {
class CallCombiner {
 public:
  void Start(grpc_closure* closure, absl::Status error, const char* file,
             int line, const char* reason);
  void Stop(const char* file, int line, const char* reason);
};
}  // namespace grpc_core

namespace {

// All connections, for nothing here tells which are two ends of one: whatever
// was written before an operation ended, its end may have heard of.
char wire;

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
  static const auto real = Real<decltype(&grpc_cq_begin_op)>(
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
      "_Z14grpc_cq_end_opP21grpc_completion_queuePvN4absl7debian36StatusEPFvS1_"
      "P18grpc_cq_completionES1_S6_b");
  __tsan_acquire(&wire);
  __tsan_release(tag);
  real(cq, tag, std::move(error), done, done_arg, storage, internal);
}

extern "C" grpc_event grpc_completion_queue_next(grpc_completion_queue* cq,
                                                 gpr_timespec deadline,
                                                 void* reserved) {
  static const auto real =
      Real<decltype(&grpc_completion_queue_next)>("grpc_completion_queue_next");
  const grpc_event event = real(cq, deadline, reserved);
  if (event.type == GRPC_OP_COMPLETE) __tsan_acquire(event.tag);
  return event;
}

extern "C" grpc_event grpc_completion_queue_pluck(grpc_completion_queue* cq,
                                                  void* tag,
                                                  gpr_timespec deadline,
                                                  void* reserved) {
  static const auto real = Real<decltype(&grpc_completion_queue_pluck)>(
      "grpc_completion_queue_pluck");
  const grpc_event event = real(cq, tag, deadline, reserved);
  if (event.type == GRPC_OP_COMPLETE) __tsan_acquire(tag);
  return event;
}

namespace grpc_core {

void CallCombiner::Start(grpc_closure* closure, absl::Status error,
                         const char* file, int line, const char* reason) {
  static const auto real =
      Real<void (*)(CallCombiner*, grpc_closure*, absl::Status, const char*,
                    int, const char*)>(
          "_ZN9grpc_core12CallCombiner5StartEP12grpc_"
          "closureN4absl7debian36StatusEPKciS7_");
  __tsan_release(this);
  real(this, closure, std::move(error), file, line, reason);
}

// Schedules what another thread has started meanwhile.
void CallCombiner::Stop(const char* file, int line, const char* reason) {
  static const auto real =
      Real<void (*)(CallCombiner*, const char*, int, const char*)>(
          "_ZN9grpc_core12CallCombiner4StopEPKciS2_");
  __tsan_acquire(this);
  real(this, file, line, reason);
}

}  // namespace grpc_core

void grpc_transport_perform_stream_op(grpc_transport* transport,
                                      grpc_stream* stream,
                                      grpc_transport_stream_op_batch* op) {
  static const auto real = Real<decltype(&grpc_transport_perform_stream_op)>(
      "_Z32grpc_transport_perform_stream_opP14grpc_transportP11grpc_"
      "streamP30grpc_transport_stream_op_batch");
  __tsan_release(transport);
  real(transport, stream, op);
}

// An HTTP/2 transport begins with its grpc_transport: the address is the same.
grpc_chttp2_begin_write_result grpc_chttp2_begin_write(
    grpc_chttp2_transport* transport) {
  static const auto real = Real<decltype(&grpc_chttp2_begin_write)>(
      "_Z23grpc_chttp2_begin_writeP21grpc_chttp2_transport");
  __tsan_acquire(transport);
  __tsan_release(&wire);
  return real(transport);
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
