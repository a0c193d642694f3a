// A peer that speaks just enough HTTP/2 to misbehave.
//
// A script runs for each connection, on a thread of its own, and writes what
// frames it likes.
//
//   RawPeer peer([](RawConnection& connection) {
//     if (const uint32_t stream = connection.AwaitCall(); stream != 0) {
//       connection.Reset(stream, RawConnection::kInternalError);
//     }
//     connection.AwaitClose();
//   });
//   auto channel = forbear::CreateChannel(peer.address(), ...);
#ifndef FORBEAR_TESTS_CLIENT_RAW_PEER_H_
#define FORBEAR_TESTS_CLIENT_RAW_PEER_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace forbear {
namespace testing {

class RawConnection {
 public:
  using Metadata = std::vector<std::pair<std::string, std::string>>;
  enum Error : uint32_t { kInternalError = 2, kRefusedStream = 7, kCancel = 8 };

  explicit RawConnection(int socket) : socket_(socket) {}

  // Greets, if it has not yet. False once the client is gone.
  bool Greet();
  // Waits for a call and its whole request. The stream, or 0 once the client
  // is gone.
  uint32_t AwaitCall();
  // Waits until the client is gone, and acknowledges what it sends.
  void AwaitClose();

  // The answer's beginning (": status" and content type come along), or its
  // trailers.
  void Headers(uint32_t stream, const Metadata& more = {});
  void Trailers(uint32_t stream, const Metadata& trailers);
  // A message whose header says that it has `length` bytes.
  void Message(uint32_t stream, const std::string& bytes, size_t length);
  void Message(uint32_t stream, const std::string& bytes) {
    Message(stream, bytes, bytes.size());
  }
  void Reset(uint32_t stream, uint32_t error);
  // No call after the stream `last` was or will be looked at.
  void GoAway(uint32_t last);
  void Write(const std::string& bytes);

  // Ends the connection now: in order, or with a TCP reset.
  void Close();
  void CloseHard();

 private:
  friend class RawPeer;
  struct Frame {
    uint8_t type;
    uint8_t flags;
    uint32_t stream;
    std::string payload;
  };
  void Send(uint8_t type, uint8_t flags, uint32_t stream,
            const std::string& payload);
  bool Read(size_t size, std::string* bytes);
  // Acknowledges on its way what has to be.
  bool Read(Frame* frame);

  const int socket_;
  bool greeted_ = false;
  std::thread thread_;
};

class RawPeer {
 public:
  explicit RawPeer(std::function<void(RawConnection&)> script);
  ~RawPeer();

  // "127.0.0.1:port", on a free port.
  const std::string& address() const { return address_; }
  // From now on connections are refused.
  void StopListening();
  int connections() const { return connections_.load(); }

 private:
  void Accept();

  const std::function<void(RawConnection&)> script_;
  std::string address_;
  int listener_;
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  std::list<RawConnection> open_;
  std::thread accepter_;
};

// A port at which nobody listens, and which nobody is given by chance. A gRPC
// server that is told to may listen at it later.
std::string RefusedAddress();

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_CLIENT_RAW_PEER_H_
