// Tells how long the way to a customer takes.
//
//   routes --port=50053
#include "absl/flags/flag.h"
#include "examples/routes/fault_switch.h"
#include "examples/routes/routes_service.h"
#include "examples/shop/flags.h"
#include "examples/shop/shop_server.h"
#include "interceptors/server/server_guard.h"

ABSL_FLAG(shop::Port, port, {},
          "a port from 0 to 65535 to listen on, 0 for any free one");
ABSL_FLAG(bool, by_hand, false,
          "true or false: whether to do without the library");

namespace {

int Run(shop::ShopServer& server, shop::RoutesService& service) {
  forbear::ServerOptions options;
  options.observer = server.tally().observer();
  forbear::ServerGuard guard(options);
  guard.RegisterService<shop::Routes>(server.builder(), service);
  guard.Install(server.builder());
  return server.Run();
}

int RunByHand(shop::ShopServer& server, shop::RoutesService& service) {
  server.builder().RegisterService(&service);
  return server.Run();
}

}  // namespace

int main(int argc, char** argv) {
  shop::ParseFlagsOrExit(argc, argv);
  shop::ShopServer server("routes", absl::GetFlag(FLAGS_port));
  shop::FaultSwitch faults(&server.tally());
  server.builder().RegisterService(&faults);
  shop::RoutesService service(&faults, &server.tally());
  return absl::GetFlag(FLAGS_by_hand) ? RunByHand(server, service)
                                      : Run(server, service);
}
