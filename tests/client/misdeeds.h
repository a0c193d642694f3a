// What a peer can do wrong with a call, over HTTP/2 as it is on the wire.
#ifndef FORBEAR_TESTS_CLIENT_MISDEEDS_H_
#define FORBEAR_TESTS_CLIENT_MISDEEDS_H_

#include <grpcpp/support/status.h>

#include <cstdint>
#include <functional>

#include "absl/types/span.h"
#include "tests/client/raw_peer.h"

namespace forbear {
namespace testing {

struct Misdeed {
  const char* name;
  std::function<void(RawConnection&, uint32_t stream)> answer;
  // How a call of a sync stub ends.
  grpc::StatusCode code;
  // A read is tried again after it.
  bool may_pass;

  // Only its deadline ends such a call.
  bool hangs() const { return code == grpc::StatusCode::DEADLINE_EXCEEDED; }
};

absl::Span<const Misdeed> Misdeeds();

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_CLIENT_MISDEEDS_H_
