// Sees to the orders that gateway takes, and asks routes how long they take.
//
//   dispatch --port=50052 --upstream=127.0.0.1:50053
#include <grpcpp/create_channel.h>

#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/time/time.h"
#include "examples/dispatch/dispatch_by_hand.h"
#include "examples/dispatch/dispatch_service.h"
#include "examples/shop/by_hand.h"
#include "examples/shop/flags.h"
#include "examples/shop/manner.h"
#include "examples/shop/shop_server.h"
#include "interceptors/client/channel.h"
#include "interceptors/context/clock.h"
#include "interceptors/policy/retry_budget.h"
#include "interceptors/policy_file/policy_file.h"
#include "interceptors/reply_cache/reply_cache.h"

ABSL_FLAG(shop::Port, port, {},
          "a port from 0 to 65535 to listen on, 0 for any free one");
ABSL_FLAG(shop::Address, upstream, {"127.0.0.1:50053"},
          "the host:port of routes, with a port from 1 to 65535");
ABSL_FLAG(shop::Manner, manner, shop::Manner::kForbear, shop::kMannerHelp);
ABSL_FLAG(
    std::string, policy, "",
    "a policy file for calls of routes, instead of the shop's own policy; "
    "followed when it changes");
ABSL_FLAG(int, max_attempts, 4,
          "a whole number from 1 up: attempts to ask routes, for each order; "
          "not with --policy");

namespace {

constexpr absl::Duration kAttemptTimeout = absl::Milliseconds(800);

forbear::MethodPolicy EstimatePolicy() {
  forbear::MethodPolicy policy;
  policy.max_attempts = absl::GetFlag(FLAGS_max_attempts);
  policy.attempt_timeout = kAttemptTimeout;
  policy.backoff.jitter = forbear::Jitter::kFull;
  policy.backoff.initial = absl::Milliseconds(200);
  policy.backoff.max = absl::Seconds(10);
  policy.reserve = absl::Milliseconds(100);  // To answer with what is usual.
  return policy;
}

forbear::ClientOptions OptionsOrExit() {
  forbear::ClientOptions options;
  options.policy.Set("shop.Routes/Estimate", EstimatePolicy());
  options.policy.target_budget.ratio = 0.1;
  const std::string path = absl::GetFlag(FLAGS_policy);
  if (!path.empty()) {
    auto file = forbear::PolicyFile::Open(path);
    if (!file.ok()) shop::ExitWrongValue(file.status().message());
    options.policy_file = *file;
    options.policy = (*file)->policy()->client;
  }
  // A budget of our own, so that the tally can look at it.
  options.process_budget = std::make_shared<forbear::RetryBudget>(
      options.policy.process_budget, forbear::SteadyNow());
  const absl::Status valid = options.Validate();
  if (!valid.ok()) shop::ExitWrongValue(valid.message());
  return options;
}

int Run(shop::ShopServer& server, const shop::Address& routes,
        const forbear::ClientOptions& options) {
  server.tally().Watch(options.process_budget);
  auto channel = forbear::CreateChannel(
      routes.text, grpc::InsecureChannelCredentials(), options);
  shop::DispatchService service(channel, &server.tally());
  server.Register<shop::Dispatch>(service);
  server.Calls("routes", routes, channel);
  return server.Run();
}

int RunByHand(shop::ShopServer& server, const shop::Address& routes,
              shop::Manner manner) {
  auto channel =
      grpc::CreateChannel(routes.text, grpc::InsecureChannelCredentials());
  shop::ByHand by_hand(manner, /*retries=*/true);
  server.tally().Watch(by_hand.budget());
  shop::DispatchByHand service(channel, &server.tally(), &by_hand,
                               kAttemptTimeout);
  server.Register<shop::Dispatch>(service);
  server.Calls("routes", routes, channel);
  return server.Run();
}

}  // namespace

int main(int argc, char** argv) {
  shop::ParseFlagsOrExit(argc, argv);
  const shop::Manner manner = absl::GetFlag(FLAGS_manner);
  const shop::Address routes = absl::GetFlag(FLAGS_upstream);
  const absl::Status valid = EstimatePolicy().Validate("--");
  if (!valid.ok()) shop::ExitWrongValue(valid.message());
  shop::ShopServer server("dispatch", absl::GetFlag(FLAGS_port), manner);
  forbear::ServerOptions guard;
  guard.max_concurrent_calls = 128;
  if (manner == shop::Manner::kForbear) {
    guard.reply_cache = std::make_shared<forbear::ReplyCache>();
  }
  server.Guard(guard);
  return manner == shop::Manner::kForbear ? Run(server, routes, OptionsOrExit())
                                          : RunByHand(server, routes, manner);
}
