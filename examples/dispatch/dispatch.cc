// Sees to the orders that gateway takes, and asks routes how long they take.
//
//   dispatch --port=50052 --upstream=127.0.0.1:50053
#include <grpcpp/create_channel.h>

#include "absl/flags/flag.h"
#include "absl/time/time.h"
#include "examples/dispatch/dispatch_by_hand.h"
#include "examples/dispatch/dispatch_service.h"
#include "examples/shop/flags.h"
#include "examples/shop/shop_server.h"
#include "interceptors/client/channel.h"
#include "interceptors/server/server_guard.h"

ABSL_FLAG(shop::Port, port, {},
          "a port from 0 to 65535 to listen on, 0 for any free one");
ABSL_FLAG(shop::Address, upstream, {"127.0.0.1:50053"},
          "the host:port of routes, with a port from 1 to 65535");
ABSL_FLAG(bool, by_hand, false,
          "true or false: whether to do without the library");
ABSL_FLAG(int, max_attempts, 4,
          "a whole number from 1 up: attempts to ask routes, for each order");

namespace {

forbear::MethodPolicy EstimatePolicy() {
  forbear::MethodPolicy policy;
  policy.max_attempts = absl::GetFlag(FLAGS_max_attempts);
  policy.attempt_timeout = absl::Milliseconds(800);
  policy.backoff.jitter = forbear::Jitter::kFull;
  policy.backoff.initial = absl::Milliseconds(200);
  policy.backoff.max = absl::Seconds(10);
  policy.reserve = absl::Milliseconds(100);  // To answer with what is usual.
  return policy;
}

int Run(shop::ShopServer& server, const shop::Address& routes) {
  forbear::ClientOptions client;
  client.policy.Set("shop.Routes/Estimate", EstimatePolicy());
  client.policy.target_budget.ratio = 0.1;
  auto channel = forbear::CreateChannel(
      routes.text, grpc::InsecureChannelCredentials(), client);
  shop::DispatchService service(channel, &server.tally());

  forbear::ServerOptions options;
  options.observer = server.tally().observer();
  forbear::ServerGuard guard(options);
  guard.RegisterService<shop::Dispatch>(server.builder(), service);
  guard.Install(server.builder());
  return server.Run("routes", routes, *channel);
}

int RunByHand(shop::ShopServer& server, const shop::Address& routes) {
  auto channel =
      grpc::CreateChannel(routes.text, grpc::InsecureChannelCredentials());
  shop::DispatchByHand service(channel, &server.tally());
  service.set_policy(EstimatePolicy());
  server.builder().RegisterService(&service);
  return server.Run("routes", routes, *channel);
}

}  // namespace

int main(int argc, char** argv) {
  shop::ParseFlagsOrExit(argc, argv);
  const absl::Status valid = EstimatePolicy().Validate("--");
  if (!valid.ok()) shop::ExitWrongValue(valid.message());
  shop::ShopServer server("dispatch", absl::GetFlag(FLAGS_port));
  const shop::Address routes = absl::GetFlag(FLAGS_upstream);
  return absl::GetFlag(FLAGS_by_hand) ? RunByHand(server, routes)
                                      : Run(server, routes);
}
