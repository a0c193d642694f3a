// The shop's front door: takes orders, has them paid, and hands them to
// dispatch.
//
//   gateway --port=50051 --upstream=127.0.0.1:50052 --payments=127.0.0.1:50054
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <memory>

#include "absl/flags/flag.h"
#include "absl/time/time.h"
#include "examples/gateway/gateway_by_hand.h"
#include "examples/gateway/gateway_service.h"
#include "examples/shop/flags.h"
#include "examples/shop/manner.h"
#include "examples/shop/shop_server.h"
#include "interceptors/client/channel.h"

ABSL_FLAG(shop::Port, port, {},
          "a port from 0 to 65535 to listen on, 0 for any free one");
ABSL_FLAG(shop::Address, upstream, {"127.0.0.1:50052"},
          "the host:port of dispatch, with a port from 1 to 65535");
ABSL_FLAG(shop::Address, payments, {"127.0.0.1:50054"},
          "the host:port of payments, with a port from 1 to 65535");
ABSL_FLAG(shop::Manner, manner, shop::Manner::kForbear, shop::kMannerHelp);

namespace {

// Both do a thing once for its key: payments a charge, dispatch an assignment.
forbear::MethodPolicy AssignPolicy() {
  forbear::MethodPolicy policy;
  policy.server_honours_keys = true;
  policy.wait_for_ready = true;  // While one of them starts anew.
  return policy;
}

forbear::MethodPolicy ChargePolicy() {
  forbear::MethodPolicy policy = AssignPolicy();
  policy.attempt_timeout = absl::Seconds(3);
  policy.reserve = absl::Milliseconds(100);  // To say that it is pending.
  return policy;
}

// gRPC waits for a second before it connects anew: too long for a server that
// is back in a tenth.
grpc::ChannelArguments ConnectSoon() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'000);
  return arguments;
}

int Serve(shop::ShopServer& server, shop::GatewayService& service,
          const std::shared_ptr<grpc::ChannelInterface>& dispatch,
          const std::shared_ptr<grpc::ChannelInterface>& payments) {
  server.Register<shop::Gateway>(service);
  server.Calls("dispatch", absl::GetFlag(FLAGS_upstream), dispatch);
  server.Calls("payments", absl::GetFlag(FLAGS_payments), payments);
  return server.Run();
}

int Run(shop::ShopServer& server) {
  forbear::ClientOptions options;
  options.arguments = ConnectSoon();
  options.policy.Set("shop.Payments/Charge", ChargePolicy());
  options.policy.Set("shop.Dispatch/Assign", AssignPolicy());
  const auto credentials = grpc::InsecureChannelCredentials();
  auto dispatch = forbear::CreateChannel(absl::GetFlag(FLAGS_upstream).text,
                                         credentials, options);
  auto payments = forbear::CreateChannel(absl::GetFlag(FLAGS_payments).text,
                                         credentials, options);
  shop::GatewayService service(dispatch, payments, &server.tally());
  return Serve(server, service, dispatch, payments);
}

int RunByHand(shop::ShopServer& server, shop::Manner manner) {
  const auto credentials = grpc::InsecureChannelCredentials();
  auto dispatch = grpc::CreateCustomChannel(absl::GetFlag(FLAGS_upstream).text,
                                            credentials, ConnectSoon());
  auto payments = grpc::CreateCustomChannel(absl::GetFlag(FLAGS_payments).text,
                                            credentials, ConnectSoon());
  shop::GatewayByHand service(dispatch, payments, &server.tally(), manner);
  return Serve(server, service, dispatch, payments);
}

}  // namespace

int main(int argc, char** argv) {
  shop::ParseFlagsOrExit(argc, argv);
  const shop::Manner manner = absl::GetFlag(FLAGS_manner);
  shop::ShopServer server("gateway", absl::GetFlag(FLAGS_port), manner);
  forbear::ServerOptions guard;
  guard.max_concurrent_calls = 256;
  server.Guard(guard);
  return manner == shop::Manner::kForbear ? Run(server)
                                          : RunByHand(server, manner);
}
