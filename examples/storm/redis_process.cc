#include "examples/storm/redis_process.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace storm {
namespace {

// Somebody may take a free port before Redis does: then another is tried.
constexpr int kTries = 5;

std::string OnPath(const std::string& name) {
  const char* const path = std::getenv("PATH");
  for (const absl::string_view directory :
       absl::StrSplit(path == nullptr ? "" : path, ':')) {
    const std::string file = absl::StrCat(directory, "/", name);
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

// One that nobody has, for the moment; 0 if there is none.
int FreePort() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool bound =
      bind(listener, any, size) == 0 && getsockname(listener, any, &size) == 0;
  close(listener);
  return bound ? ntohs(address.sin_port) : 0;
}

absl::Status AwaitReady(ChildProcess& redis) {
  while (true) {
    const absl::StatusOr<std::string> line = redis.ReadLine(absl::Seconds(10));
    if (!line.ok()) return line.status();
    if (absl::StrContains(*line, "Ready to accept connections")) {
      return absl::OkStatus();
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<RedisProcess>> RedisProcess::Start() {
  const std::string path = OnPath("redis-server");
  if (path.empty()) {
    return absl::NotFoundError(
        "redis-server: not on the PATH; payments keeps its charges there: "
        "install it (Debian's package is redis-server)");
  }
  absl::Status status;
  for (int i = 0; i < kTries; ++i) {
    const std::string port = absl::StrCat(FreePort());
    auto redis = ChildProcess::Start(
        "redis-server", path,
        {"--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly",
         "no", "--daemonize", "no", "--logfile", ""});
    if (!redis.ok()) return redis.status();
    status = AwaitReady(**redis);
    if (!status.ok()) continue;
    return std::unique_ptr<RedisProcess>(
        new RedisProcess(*std::move(redis), absl::StrCat("127.0.0.1:", port)));
  }
  return status;
}

}  // namespace storm
