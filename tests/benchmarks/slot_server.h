// A server over a SlotBackend, plain or guarded, and what its handlers did.
#ifndef FORBEAR_TESTS_BENCHMARKS_SLOT_SERVER_H_
#define FORBEAR_TESTS_BENCHMARKS_SLOT_SERVER_H_

#include <grpcpp/server.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/types/optional.h"
#include "interceptors/server/server_guard.h"
#include "proto/testing/probe.grpc.pb.h"
#include "tests/benchmarks/slot_backend.h"

namespace forbear {
namespace benchmarks {

// How its handlers are written.
enum class HandlerStyle { kSync, kCallback };
inline constexpr HandlerStyle kHandlerStyles[] = {HandlerStyle::kSync,
                                                  HandlerStyle::kCallback};
inline const char* StyleName(HandlerStyle style) {
  return style == HandlerStyle::kSync ? "sync" : "callback";
}

inline constexpr int kSlots = 8;
inline constexpr absl::Duration kService = absl::Milliseconds(10);
inline constexpr int kCapacity = 800;  // Calls per second.

class SlotServer {
 public:
  // Guarded, if there are options.
  SlotServer(HandlerStyle style, const absl::optional<ServerOptions>& options);
  ~SlotServer();

  const std::string& address() const { return address_; }
  // Handlers that have used a slot.
  int64_t runs() const { return runs_; }

 private:
  class Sync;
  class Callback;

  SlotBackend backend_;
  std::atomic<int64_t> runs_{0};
  std::atomic<bool> over_{false};
  std::unique_ptr<testing::Probe::Service> sync_;
  std::unique_ptr<testing::Probe::CallbackService> callback_;
  std::unique_ptr<ServerGuard> guard_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace benchmarks
}  // namespace forbear

#endif  // FORBEAR_TESTS_BENCHMARKS_SLOT_SERVER_H_
