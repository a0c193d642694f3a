#include "tests/client/name_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace forbear {
namespace testing {
namespace {

// RFC 1035.
constexpr size_t kHeader = 12;
constexpr uint8_t kTypeA = 1;
constexpr uint8_t kTypeTxt = 16;

// Text in pieces of up to 255 bytes, each with its length.
std::string Pieces(std::string text) {
  std::string pieces;
  while (!text.empty()) {
    const std::string piece = text.substr(0, 255);
    text.erase(0, piece.size());
    pieces += static_cast<char>(piece.size());
    pieces += piece;
  }
  return pieces;
}

std::string Short(size_t number) {
  return {static_cast<char>(number >> 8), static_cast<char>(number)};
}

}  // namespace

NameServer::NameServer(const std::string& service_config)
    : text_(Pieces(absl::StrCat(
          "grpc_config=[{\"serviceConfig\":", service_config, "}]"))),
      socket_(socket(AF_INET, SOCK_DGRAM, 0)) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(name);
  auto* const any = reinterpret_cast<sockaddr*>(&name);
  bind(socket_, any, size);
  getsockname(socket_, any, &size);
  port_ = ntohs(name.sin_port);
  server_ = std::thread([this] { Serve(); });
}

NameServer::~NameServer() {
  // Wakes the server, for which an empty query is the end.
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(static_cast<uint16_t>(port_));
  sendto(socket_, "", 0, 0, reinterpret_cast<sockaddr*>(&name), sizeof(name));
  server_.join();
  close(socket_);
}

std::string NameServer::Target(const std::string& host,
                               const std::string& address) const {
  return absl::StrCat("dns://127.0.0.1:", port_, "/", host,
                      address.substr(address.rfind(':')));
}

void NameServer::Serve() {
  for (;;) {
    char query[512];
    sockaddr_in client{};
    socklen_t size = sizeof(client);
    auto* const any = reinterpret_cast<sockaddr*>(&client);
    const ssize_t n = recvfrom(socket_, query, sizeof(query), 0, any, &size);
    if (n <= 0) return;
    const std::string answer =
        Answer(std::string(query, static_cast<size_t>(n)));
    sendto(socket_, answer.data(), answer.size(), 0, any, size);
  }
}

std::string NameServer::Answer(const std::string& query) const {
  // The question's name ends with an empty label; its type and class follow.
  const size_t name_end = query.find('\0', kHeader);
  const std::string question = query.substr(kHeader, name_end + 5 - kHeader);
  const auto type = static_cast<uint8_t>(query[name_end + 2]);
  std::string data;
  if (type == kTypeA) data = {127, 0, 0, 1};
  if (type == kTypeTxt) data = text_;
  // An answer, recursion available; one question, and one record or none.
  std::string answer =
      absl::StrCat(query.substr(0, 2), Short(0x8180), Short(1),
                   Short(data.empty() ? 0 : 1), Short(0), Short(0), question);
  if (!data.empty()) {
    // Of the name in the question, class IN, for an hour.
    absl::StrAppend(&answer, Short(0xc000 + kHeader), Short(type), Short(1),
                    Short(0), Short(3600), Short(data.size()), data);
  }
  return answer;
}

}  // namespace testing
}  // namespace forbear
