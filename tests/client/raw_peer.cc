#include "tests/client/raw_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace forbear {
namespace testing {
namespace {

// RFC 9113.
constexpr uint8_t kData = 0;
constexpr uint8_t kHeaders = 1;
constexpr uint8_t kResetStream = 3;
constexpr uint8_t kSettings = 4;
constexpr uint8_t kPing = 6;
constexpr uint8_t kGoAway = 7;
constexpr uint8_t kWindowUpdate = 8;
constexpr uint8_t kAck = 1;
constexpr uint8_t kEndStream = 1;
constexpr uint8_t kEndHeaders = 4;
constexpr size_t kFrameHeader = 9;
constexpr size_t kPreface = 24;
constexpr size_t kMaxFrame = 16384;

std::string BigEndian(uint64_t number, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    text += static_cast<char>(number >> shift);
  }
  return text;
}

uint32_t Number(const std::string& bytes, size_t at, int size) {
  uint32_t number = 0;
  for (int i = 0; i < size; ++i) {
    number = number << 8 | static_cast<uint8_t>(bytes[at + i]);
  }
  return number;
}

// RFC 7541, 5.1 and 5.2: a string, not compressed.
std::string Literal(const std::string& text) {
  std::string bytes;
  size_t length = text.size();
  if (length < 127) {
    bytes += static_cast<char>(length);
  } else {
    bytes += static_cast<char>(127);
    for (length -= 127; length >= 128; length /= 128) {
      bytes += static_cast<char>(length % 128 + 128);
    }
    bytes += static_cast<char>(length);
  }
  return bytes + text;
}

// RFC 7541, 6.2.2: literals that no table keeps.
std::string Block(const RawConnection::Metadata& metadata) {
  std::string block;
  for (const auto& [key, value] : metadata) {
    absl::StrAppend(&block, std::string(1, '\0'), Literal(key), Literal(value));
  }
  return block;
}

// A socket bound to a free port of this machine.
int Bound(std::string* address) {
  const int bound = socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  setsockopt(bound, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(name);
  auto* const any = reinterpret_cast<sockaddr*>(&name);
  if (bind(bound, any, size) != 0 || getsockname(bound, any, &size) != 0) {
    std::fprintf(stderr, "RawPeer: cannot listen on localhost\n");
    std::abort();
  }
  *address = absl::StrCat("127.0.0.1:", ntohs(name.sin_port));
  return bound;
}

}  // namespace

void RawConnection::Write(const std::string& bytes) {
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = send(socket_, bytes.data() + written,
                           bytes.size() - written, MSG_NOSIGNAL);
    if (n <= 0) return;  // The client is gone, which the next read tells.
    written += static_cast<size_t>(n);
  }
}

void RawConnection::Send(uint8_t type, uint8_t flags, uint32_t stream,
                         const std::string& payload) {
  Write(absl::StrCat(BigEndian(payload.size(), 3), BigEndian(type, 1),
                     BigEndian(flags, 1), BigEndian(stream, 4), payload));
}

bool RawConnection::Read(size_t size, std::string* bytes) {
  bytes->resize(size);
  size_t got = 0;
  while (got < size) {
    const ssize_t n = recv(socket_, &(*bytes)[got], size - got, 0);
    if (n <= 0) return false;
    got += static_cast<size_t>(n);
  }
  return true;
}

bool RawConnection::Read(Frame* frame) {
  std::string header;
  if (!Read(kFrameHeader, &header)) return false;
  frame->type = static_cast<uint8_t>(header[3]);
  frame->flags = static_cast<uint8_t>(header[4]);
  frame->stream = Number(header, 5, 4);
  if (!Read(Number(header, 0, 3), &frame->payload)) return false;
  if (frame->type == kSettings && frame->flags == 0) {
    Send(kSettings, kAck, 0, "");
  } else if (frame->type == kPing && frame->flags == 0) {
    Send(kPing, kAck, 0, frame->payload);
  }
  return true;
}

bool RawConnection::Greet() {
  if (greeted_) return true;
  std::string preface;
  if (!Read(kPreface, &preface)) return false;
  Send(kSettings, 0, 0, "");
  // As much as all calls together may ever send.
  Send(kWindowUpdate, 0, 0, BigEndian(0x7fff0000, 4));
  greeted_ = true;
  return true;
}

uint32_t RawConnection::AwaitCall() {
  if (!Greet()) return 0;
  Frame frame;
  while (Read(&frame)) {
    const bool of_a_call = frame.type == kHeaders || frame.type == kData;
    if (of_a_call && (frame.flags & kEndStream) != 0) return frame.stream;
  }
  return 0;
}

void RawConnection::AwaitClose() {
  if (!Greet()) return;
  Frame frame;
  while (Read(&frame)) continue;
}

void RawConnection::Headers(uint32_t stream, const Metadata& more) {
  Send(kHeaders, kEndHeaders, stream,
       Block({{":status", "200"}, {"content-type", "application/grpc"}}) +
           Block(more));
}

void RawConnection::Trailers(uint32_t stream, const Metadata& trailers) {
  Send(kHeaders, kEndHeaders | kEndStream, stream, Block(trailers));
}

void RawConnection::Message(uint32_t stream, const std::string& bytes,
                            size_t length) {
  std::string rest = BigEndian(0, 1) + BigEndian(length, 4) + bytes;
  while (!rest.empty()) {
    Send(kData, 0, stream, rest.substr(0, kMaxFrame));
    rest.erase(0, kMaxFrame);
  }
}

void RawConnection::Reset(uint32_t stream, uint32_t error) {
  Send(kResetStream, 0, stream, BigEndian(error, 4));
}

void RawConnection::GoAway(uint32_t last) {
  Send(kGoAway, 0, 0, BigEndian(last, 4) + BigEndian(0, 4));
}

void RawConnection::Close() { shutdown(socket_, SHUT_RDWR); }

void RawConnection::CloseHard() {
  const linger at_once{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  // The last descriptor of it that is closed sends the reset: leave a closed
  // one in its place, which RawPeer may close again.
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  dup2(other, socket_);
  close(other);
}

RawPeer::RawPeer(std::function<void(RawConnection&)> script)
    : script_(std::move(script)), listener_(Bound(&address_)) {
  listen(listener_, SOMAXCONN);
  accepter_ = std::thread([this] { Accept(); });
}

void RawPeer::Accept() {
  for (;;) {
    const int accepted = accept(listener_, nullptr, nullptr);
    std::lock_guard<std::mutex> lock(mutex_);
    if (accepted < 0) return;
    connections_.fetch_add(1);
    RawConnection& connection = open_.emplace_back(accepted);
    connection.thread_ = std::thread([this, &connection] {
      script_(connection);
      connection.Close();
    });
  }
}

void RawPeer::StopListening() {
  std::lock_guard<std::mutex> lock(mutex_);
  shutdown(listener_, SHUT_RDWR);
}

RawPeer::~RawPeer() {
  StopListening();
  accepter_.join();
  close(listener_);
  for (RawConnection& connection : open_) {
    connection.Close();
    connection.thread_.join();
    close(connection.socket_);
  }
}

std::string RefusedAddress() {
  std::string address;
  // Stays bound, and is not listened at.
  static_cast<void>(Bound(&address));
  return address;
}

}  // namespace testing
}  // namespace forbear
