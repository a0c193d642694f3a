// What the shop's servers have in common: a port, an upstream, and an end.
//
//   shop::ShopServer server("gateway", port);
//   guard.RegisterService<shop::Gateway>(server.builder(), service);
//   return server.Run("dispatch", address, *channel);
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

#include <string>

#include "examples/shop/flags.h"
#include "examples/shop/tally.h"

namespace shop {

class ShopServer {
 public:
  ShopServer(std::string name, Port port);

  grpc::ServerBuilder& builder() { return builder_; }
  Tally& tally() { return tally_; }

  // Says where it listens, and serves until SIGTERM or SIGINT.
  int Run();
  // Also says so when the server it calls is not there yet.
  int Run(const std::string& upstream, const Address& address,
          grpc::ChannelInterface& channel);

 private:
  bool Start();
  int ServeUntilSignal();

  const std::string name_;
  const Port port_;
  Tally tally_;
  grpc::ServerBuilder builder_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace shop

#endif  // FORBEAR_EXAMPLES_SHOP_SHOP_SERVER_H_
