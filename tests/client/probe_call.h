// One call to the probe service, in any stub style, for tests that must hold
// for all of them.
#ifndef FORBEAR_TESTS_CLIENT_PROBE_CALL_H_
#define FORBEAR_TESTS_CLIENT_PROBE_CALL_H_

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/channel_interface.h>
#include <grpcpp/support/status.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "proto/testing/probe.grpc.pb.h"

namespace forbear {
namespace testing {

enum class StubStyle {
  kSync,
  kCallback,  // With a function.
  kReactor,
  kQueue,       // With a completion queue,
  kQueueInTwo,  // ... and the initial metadata asked for on its own.
  // Of bytes, by the method's name.
  kGenericQueue,
  kGenericCallback,
};
std::string StyleName(StubStyle style);

enum class ProbeMethod { kRead, kPut, kCharge };

struct ProbeResult {
  grpc::Status status;
  Reply reply;
};

// Stubs of both kinds, typed and generic, on one channel.
class ProbeStub {
 public:
  static std::unique_ptr<ProbeStub> New(
      const std::shared_ptr<grpc::ChannelInterface>& channel) {
    return std::make_unique<ProbeStub>(channel);
  }
  explicit ProbeStub(const std::shared_ptr<grpc::ChannelInterface>& channel)
      : typed(channel), generic(channel) {}

  Probe::Stub typed;
  grpc::GenericStub generic;
};

// Makes the call and waits for its end.
ProbeResult Call(ProbeStub& stub, StubStyle style, ProbeMethod method,
                 grpc::ClientContext* context, const std::string& text = "");

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_CLIENT_PROBE_CALL_H_
