// A server whose calls stay unanswered until the test says how each ends.
#ifndef FORBEAR_TESTS_CLIENT_HELD_SERVER_H_
#define FORBEAR_TESTS_CLIENT_HELD_SERVER_H_

#include <grpcpp/server.h>
#include <grpcpp/support/status.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace forbear {
namespace testing {

class HeldServer {
 public:
  // How calls are counted, from 1.
  enum class Count {
    kAttempts,  // As their metadata say: for one call and its attempts.
    kArrivals,
  };

  // `on_arrival` runs on a thread of gRPC, once this call and those that are
  // counted before it are there, and may answer all of them.
  using OnArrival = std::function<void(HeldServer&, int)>;
  explicit HeldServer(OnArrival on_arrival, Count count = Count::kAttempts);
  ~HeldServer();

  const std::string& address() const { return address_; }

  // Ends a call, once.
  void Answer(
      int call, const grpc::Status& status, const std::string& text = "",
      const std::vector<std::pair<std::string, std::string>>& trailers = {});
  void Succeed(int call, const std::string& text = "") {
    Answer(call, grpc::Status::OK, text);
  }
  void Fail(int call, grpc::StatusCode code = grpc::StatusCode::UNAVAILABLE) {
    Answer(call, grpc::Status(code, "failed"));
  }

  int arrivals() const;
  // All values of `key` that came with a call.
  std::vector<std::string> Metadata(int call, const std::string& key) const;
  // Waits until the caller of this call has given it up.
  void AwaitCancelled(int call) const;

 private:
  class Service;
  class Held;

  const OnArrival on_arrival_;
  const Count count_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<std::shared_ptr<Held>> held_;
  size_t told_ = 0;  // Of these, in order.
};

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_CLIENT_HELD_SERVER_H_
