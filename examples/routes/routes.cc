// Tells how long the way to a customer takes.
//
//   routes --port=50053
#include "absl/flags/flag.h"
#include "examples/routes/fault_switch.h"
#include "examples/routes/routes_service.h"
#include "examples/shop/flags.h"
#include "examples/shop/manner.h"
#include "examples/shop/shop_server.h"

ABSL_FLAG(shop::Port, port, {},
          "a port from 0 to 65535 to listen on, 0 for any free one");
ABSL_FLAG(shop::Manner, manner, shop::Manner::kForbear, shop::kMannerHelp);

int main(int argc, char** argv) {
  shop::ParseFlagsOrExit(argc, argv);
  shop::ShopServer server("routes", absl::GetFlag(FLAGS_port),
                          absl::GetFlag(FLAGS_manner));
  forbear::ServerOptions guard;
  guard.max_concurrent_calls = 256;
  server.Guard(guard);
  shop::FaultSwitch faults(&server.tally());
  server.RegisterAdmin(faults);
  shop::RoutesService service(&faults, &server.tally());
  server.Register<shop::Routes>(service);
  return server.Run();
}
