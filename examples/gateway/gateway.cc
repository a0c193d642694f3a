// The shop's front door: takes orders and hands them to dispatch.
//
//   gateway --port=50051 --upstream=127.0.0.1:50052
#include <grpcpp/create_channel.h>

#include "absl/flags/flag.h"
#include "examples/gateway/gateway_by_hand.h"
#include "examples/gateway/gateway_service.h"
#include "examples/shop/flags.h"
#include "examples/shop/shop_server.h"
#include "interceptors/client/channel.h"
#include "interceptors/server/server_guard.h"

ABSL_FLAG(shop::Port, port, {},
          "a port from 0 to 65535 to listen on, 0 for any free one");
ABSL_FLAG(shop::Address, upstream, {"127.0.0.1:50052"},
          "the host:port of dispatch, with a port from 1 to 65535");
ABSL_FLAG(bool, by_hand, false,
          "true or false: whether to do without the library");

namespace {

int Run(shop::ShopServer& server, const shop::Address& dispatch) {
  auto channel =
      forbear::CreateChannel(dispatch.text, grpc::InsecureChannelCredentials());
  shop::GatewayService service(channel, &server.tally());

  forbear::ServerOptions options;
  options.observer = server.tally().observer();
  forbear::ServerGuard guard(options);
  guard.RegisterService<shop::Gateway>(server.builder(), service);
  guard.Install(server.builder());
  return server.Run("dispatch", dispatch, *channel);
}

int RunByHand(shop::ShopServer& server, const shop::Address& dispatch) {
  auto channel =
      grpc::CreateChannel(dispatch.text, grpc::InsecureChannelCredentials());
  shop::GatewayByHand service(channel, &server.tally());
  server.builder().RegisterService(&service);
  return server.Run("dispatch", dispatch, *channel);
}

}  // namespace

int main(int argc, char** argv) {
  shop::ParseFlagsOrExit(argc, argv);
  shop::ShopServer server("gateway", absl::GetFlag(FLAGS_port));
  const shop::Address dispatch = absl::GetFlag(FLAGS_upstream);
  return absl::GetFlag(FLAGS_by_hand) ? RunByHand(server, dispatch)
                                      : Run(server, dispatch);
}
