// What the shop's servers have in common: a port, those they call, and an end.
//
//   shop::ShopServer server("gateway", port, manner);
//   server.Guard(options);
//   server.Register<shop::Gateway>(service);
//   server.Calls("dispatch", address, channel);
//   return server.Run();
//
// From Manner::kGuard on services are guarded. Reflection and health are on:
// `grpcurl -plaintext 127.0.0.1:PORT list` shows what there is.
//
// Thread-safety: used by one thread. Made before any other thread is, so that
//                SIGTERM and SIGINT come to Run() alone.
// Units:         none.
// Errors:        Run() returns the exit status: 0 after a signal, 2 with a line
//                on stderr when it cannot listen.
#ifndef FORBEAR_EXAMPLES_SHOP_SHOP_SERVER_H_
#define FORBEAR_EXAMPLES_SHOP_SHOP_SERVER_H_

#include <grpcpp/impl/channel_interface.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <string>
#include <vector>

#include "examples/shop/flags.h"
#include "examples/shop/manner.h"
#include "examples/shop/tally.h"
#include "interceptors/server/server_guard.h"

namespace shop {

class ShopServer {
 public:
  ShopServer(std::string name, Port port, Manner manner);

  Tally& tally() { return tally_; }

  // First of all, where the manner has guards. The tally hears what is refused.
  void Guard(forbear::ServerOptions options);

  template <typename Generated>
  void Register(typename Generated::Service& service) {
    if (guard_ == nullptr) {
      builder_.RegisterService(&service);
    } else {
      guard_->RegisterService<Generated>(builder_, service);
    }
  }
  // Not for the shop's customers.
  void RegisterAdmin(grpc::Service& service) {
    builder_.RegisterService(&service);
  }

  // Run() also says so when `upstream` is not there yet.
  void Calls(const std::string& upstream, const Address& address,
             std::shared_ptr<grpc::ChannelInterface> channel);

  // Says where it listens, and serves until SIGTERM or SIGINT.
  int Run();

 private:
  struct Upstream {
    std::string name;
    std::string address;
    std::shared_ptr<grpc::ChannelInterface> channel;
  };

  bool Start();
  int ServeUntilSignal();

  const std::string name_;
  const Port port_;
  const Manner manner_;
  Tally tally_;
  std::unique_ptr<forbear::ServerGuard> guard_;
  std::vector<Upstream> upstreams_;
  grpc::ServerBuilder builder_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SHOP_SHOP_SERVER_H_
