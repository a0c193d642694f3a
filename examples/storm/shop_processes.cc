#include "examples/storm/shop_processes.h"

#include <signal.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace storm {

ShopProcesses::ShopProcesses(Find find, ShopOptions options)
    : find_(std::move(find)), options_(std::move(options)) {}

absl::StatusOr<std::unique_ptr<ShopProcesses>> ShopProcesses::Start(
    const Find& find, const ShopOptions& options) {
  std::unique_ptr<ShopProcesses> shop(new ShopProcesses(find, options));
  auto redis = RedisProcess::Start();
  if (!redis.ok()) return redis.status();
  shop->redis_ = *std::move(redis);
  // Each after those that it calls.
  for (const char* const name : {"routes", "payments", "dispatch", "gateway"}) {
    absl::Status status = shop->StartServer(name, "0");
    if (status.ok()) status = shop->AwaitServer(name);
    if (!status.ok()) return status;
  }
  return shop;
}

ShopProcesses::~ShopProcesses() {
  for (const auto& [name, server] : servers_) server->Terminate();
}

std::vector<std::string> ShopProcesses::Arguments(
    const std::string& name, const std::string& port) const {
  std::vector<std::string> arguments = {
      absl::StrCat("--port=", port),
      absl::StrCat("--manner=", shop::MannerName(options_.manner))};
  if (name == "payments") {
    arguments.push_back(absl::StrCat("--redis=", redis_->address()));
  } else if (name == "dispatch") {
    arguments.push_back(absl::StrCat("--upstream=", routes()));
    if (!options_.policy.empty()) {
      arguments.push_back(absl::StrCat("--policy=", options_.policy));
    }
  } else if (name == "gateway") {
    arguments.push_back(absl::StrCat("--upstream=", dispatch()));
    arguments.push_back(absl::StrCat("--payments=", payments()));
  }
  return arguments;
}

absl::Status ShopProcesses::StartServer(const std::string& name,
                                        const std::string& port) {
  auto child = ChildProcess::Start(name, find_(name), Arguments(name, port));
  if (!child.ok()) return child.status();
  servers_[name] = *std::move(child);
  return absl::OkStatus();
}

absl::Status ShopProcesses::AwaitServer(const std::string& name) {
  const absl::StatusOr<std::string> line =
      servers_[name]->ReadLine(absl::Seconds(10));
  if (!line.ok()) return line.status();
  addresses_[name] = line->substr(line->rfind(' ') + 1);
  return absl::OkStatus();
}

absl::Status ShopProcesses::KillAndRestartPayments() {
  servers_["payments"]->Signal(SIGKILL);
  servers_["payments"]->Await(absl::Seconds(5));
  return StartServer("payments", payments().substr(payments().rfind(':') + 1));
}

absl::Status ShopProcesses::AwaitPayments() { return AwaitServer("payments"); }

absl::StatusOr<std::unique_ptr<ChildProcess>> ShopProcesses::Sweep(
    absl::Duration window) {
  return ChildProcess::Start(
      "sweep", find_("sweep"),
      {absl::StrCat("--manner=", shop::MannerName(options_.manner)),
       absl::StrCat("--upstream=", gateway()),
       absl::StrCat("--window=", absl::FormatDuration(window))});
}

}  // namespace storm
