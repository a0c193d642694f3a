#include "examples/storm/shop_processes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace storm {

absl::StatusOr<std::unique_ptr<ShopProcesses>> ShopProcesses::Start(
    const std::function<std::string(const std::string&)>& find, Manner manner) {
  std::unique_ptr<ShopProcesses> shop(new ShopProcesses);
  const struct {
    const char* name;
    std::string* address;
    const std::string* upstream;
  } kServers[] = {
      {"routes", &shop->routes_, nullptr},
      {"dispatch", &shop->dispatch_, &shop->routes_},
      {"gateway", &shop->gateway_, &shop->dispatch_},
  };
  for (const auto& server : kServers) {
    std::vector<std::string> arguments = {"--port=0"};
    if (manner == Manner::kByHand) arguments.push_back("--by_hand");
    if (server.upstream != nullptr) {
      arguments.push_back(absl::StrCat("--upstream=", *server.upstream));
    }
    auto child = ChildProcess::Start(server.name, find(server.name), arguments);
    if (!child.ok()) return child.status();
    shop->servers_.push_back(*std::move(child));
    const absl::StatusOr<std::string> line =
        shop->servers_.back()->ReadLine(absl::Seconds(10));
    if (!line.ok()) return line.status();
    *server.address = line->substr(line->rfind(' ') + 1);
  }
  return shop;
}

ShopProcesses::~ShopProcesses() {
  for (const auto& server : servers_) server->Terminate();
}

}  // namespace storm
