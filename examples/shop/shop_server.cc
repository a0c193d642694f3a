#include "examples/shop/shop_server.h"

#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <signal.h>

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "examples/shop/from_now.h"

namespace shop {
namespace {

sigset_t EndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// Whether a server answers. Not, if nothing changes for a second.
bool IsThere(grpc::ChannelInterface& channel) {
  grpc_connectivity_state state = channel.GetState(/*try_to_connect=*/true);
  while (state != GRPC_CHANNEL_READY &&
         state != GRPC_CHANNEL_TRANSIENT_FAILURE &&
         channel.WaitForStateChange(state, FromNow(absl::Seconds(1)))) {
    state = channel.GetState(/*try_to_connect=*/true);
  }
  return state == GRPC_CHANNEL_READY;
}

}  // namespace

ShopServer::ShopServer(std::string name, Port port, Manner manner)
    : name_(std::move(name)), port_(port), manner_(manner) {
  const sigset_t signals = EndSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  builder_.RegisterService(&tally_);
}

void ShopServer::Guard(forbear::ServerOptions options) {
  if (manner_ < Manner::kGuard) return;
  options.observer = tally_.observer();
  guard_ = std::make_unique<forbear::ServerGuard>(std::move(options));
}

void ShopServer::Calls(const std::string& upstream, const Address& address,
                       std::shared_ptr<grpc::ChannelInterface> channel) {
  upstreams_.push_back({upstream, address.text, std::move(channel)});
}

int ShopServer::Run() {
  if (guard_ != nullptr) guard_->Install(builder_);
  if (!Start()) return 2;
  for (const Upstream& upstream : upstreams_) {
    if (IsThere(*upstream.channel)) continue;
    std::printf("%s: %s at %s is not there yet\n", name_.c_str(),
                upstream.name.c_str(), upstream.address.c_str());
  }
  return ServeUntilSignal();
}

bool ShopServer::Start() {
  int port = 0;
  builder_.AddListeningPort(absl::StrCat("127.0.0.1:", port_.number),
                            grpc::InsecureServerCredentials(), &port);
  builder_.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  gpr_set_log_function([](gpr_log_func_args*) {});  // One line says it all.
  server_ = builder_.BuildAndStart();
  gpr_set_log_function(nullptr);
  if (server_ == nullptr) {
    std::fprintf(stderr,
                 "%s: --port=%d: not free; it takes a port from 0 to 65535, "
                 "0 for any free one\n",
                 name_.c_str(), port_.number);
    return false;
  }
  std::printf("%s listens on 127.0.0.1:%d\n", name_.c_str(), port);
  return true;
}

int ShopServer::ServeUntilSignal() {
  const sigset_t signals = EndSignals();
  int signal = 0;
  sigwait(&signals, &signal);
  // Handlers have a moment to end; calls of theirs that name the call they are
  // made for are then cancelled. Others are waited for.
  server_->Shutdown(FromNow(absl::Milliseconds(200)));
  return 0;
}

}  // namespace shop
