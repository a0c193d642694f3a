// A real gRPC server that answers from a script.
//
// Whatever method is called, and of whatever kind, the next answer of the
// script is given; the last one is given for ever. What arrives is recorded.
//
//   ScriptedServer server;
//   server.Script({Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting"),
//                  Answer::Succeeds(reply)});
//   auto stub = shop::Routes::NewStub(forbear::CreateChannel(
//       server.address(), grpc::InsecureChannelCredentials(), options));
//   ...
//   EXPECT_EQ(server.arrivals().size(), 2);
//
// Thread-safety: safe for concurrent use.
// Units:         absl::Duration.
// Errors:        a server that cannot listen ends the test.
#ifndef FORBEAR_INTERCEPTORS_TESTING_SCRIPTED_SERVER_H_
#define FORBEAR_INTERCEPTORS_TESTING_SCRIPTED_SERVER_H_

#include <google/protobuf/message_lite.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/support/status.h>

#include <condition_variable>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace forbear {
namespace testing {

struct Answer {
  static Answer Succeeds(const google::protobuf::MessageLite& reply);
  static Answer Fails(grpc::StatusCode code, const std::string& message,
                      const std::string& details = "");
  // Never answers; ends when the caller gives up.
  static Answer Hangs();

  // Sends each message back as it comes, and ends after the last.
  static Answer Echoes();

  // Reads as many messages first; fewer if the caller closes before.
  Answer& After(int messages);
  static constexpr int kAll = std::numeric_limits<int>::max();
  // Sends its headers when the call arrives, before it answers.
  Answer& HeadersFirst();
  Answer& WithTrailer(const std::string& key, const std::string& value);
  Answer& WithHeader(const std::string& key, const std::string& value);

  grpc::Status status;
  std::vector<std::string> messages;  // Serialized.
  bool hangs = false;
  bool echoes = false;
  bool headers_first = false;
  int reads = 1;
  std::multimap<std::string, std::string> headers;
  std::multimap<std::string, std::string> trailers;
};

// A call as the server saw it.
struct Arrival {
  std::string method;
  absl::Duration time_left;  // Infinite without a deadline.
  std::multimap<std::string, std::string> metadata;
  std::string request;                // The first message, serialized.
  std::vector<std::string> requests;  // All that were read.
  bool closed = false;                // By the caller: there are no more.
  int answers = 0;                    // Messages that have been sent back.

  // All values of `key`, in order.
  std::vector<std::string> Values(const std::string& key) const;
};

class ScriptedServer {
 public:
  // Port 0 is a free one.
  explicit ScriptedServer(std::shared_ptr<grpc::ServerCredentials> credentials =
                              grpc::InsecureServerCredentials(),
                          const std::string& address = "127.0.0.1:0");
  ~ScriptedServer();

  // "127.0.0.1:port".
  const std::string& address() const { return address_; }

  // Starts over with these answers. Until then every call is UNIMPLEMENTED.
  void Script(std::vector<Answer> answers);

  std::vector<Arrival> arrivals() const;
  // Waits until as many calls have arrived.
  void AwaitArrivals(size_t count) const;
  // Waits until the call that came as number `index` has been read so far.
  void AwaitRequests(size_t index, size_t messages) const;
  // Waits until no call is in its hands.
  void AwaitIdle() const;

 private:
  class Service;
  class Reactor;

  Answer Arrived(Arrival arrival, size_t* index);
  void Received(size_t index, const std::string* message);
  void Sent(size_t index);

  std::string address_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Answer> script_;
  size_t next_ = 0;
  std::vector<Arrival> arrivals_;
  int in_hand_ = 0;
};

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_INTERCEPTORS_TESTING_SCRIPTED_SERVER_H_
