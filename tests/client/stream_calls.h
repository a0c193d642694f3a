// One streaming call to the Kinds service, of any kind and in any stub style,
// for tests that must hold for all of them.
#ifndef FORBEAR_TESTS_CLIENT_STREAM_CALLS_H_
#define FORBEAR_TESTS_CLIENT_STREAM_CALLS_H_

#include <grpcpp/client_context.h>
#include <grpcpp/impl/channel_interface.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace forbear {
namespace testing {

enum class StreamKind { kDownload, kUpload, kChat };
enum class StreamStyle {
  kSync,
  kCallback,
  kQueue,
  kGenericQueue,
  kGenericCallback,
};
std::string KindName(StreamKind kind);
std::string StyleName(StreamStyle style);

struct StreamPlan {
  // Sent in this order; a download sends the first alone.
  std::vector<std::string> sends = {"a", "b"};
  // Runs before message number `index` is sent, counted from 0.
  std::function<void(size_t index)> before_send;
  // Runs before the half-close.
  std::function<void()> before_close;
  // Runs after each message that is read, with how many that makes.
  std::function<void(size_t count)> after_read;
  // Asks for the headers on their own, after sending and before reading.
  bool asks_for_headers = false;
};

struct StreamResult {
  grpc::Status status;
  std::vector<std::string> messages;
  int sent = 0;  // Writes that succeeded.
};

// Makes the call and waits for its end.
StreamResult Run(const std::shared_ptr<grpc::ChannelInterface>& channel,
                 StreamStyle style, StreamKind kind,
                 grpc::ClientContext* context, const StreamPlan& plan = {});

// "/forbear.testing.Kinds/..."
std::string MethodName(StreamKind kind);

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_CLIENT_STREAM_CALLS_H_
