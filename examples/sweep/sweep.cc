// The two o'clock job: hands every order of the last ten minutes that has no
// courier to dispatch once more.
//
//   sweep --upstream=127.0.0.1:50051                  # All at once.
//   sweep --upstream=127.0.0.1:50051 --window=5m      # Spread over it.
//   sweep --upstream=127.0.0.1:50051 --window=5m --period=24h
//
// A sweep ends with "sweep: 351 orders without a courier, 349 have one now".
#include <grpcpp/create_channel.h>

#include <cstdio>
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "examples/shop/flags.h"
#include "examples/shop/manner.h"
#include "examples/shop/pause.h"
#include "examples/sweep/sweeper.h"
#include "interceptors/client/channel.h"
#include "interceptors/context/chance.h"
#include "interceptors/context/clock.h"
#include "interceptors/policy/spread.h"

ABSL_FLAG(shop::Address, upstream, {"127.0.0.1:50051"},
          "the host:port of gateway, with a port from 1 to 65535");
ABSL_FLAG(shop::Span, window, {},
          "the time over which the orders are spread, such as 5m; 0: all at "
          "once");
ABSL_FLAG(shop::Span, period, {},
          "how often to sweep, such as 24h, each time drawn from half to one "
          "and a half of it; 0: once");
ABSL_FLAG(shop::Manner, manner, shop::Manner::kForbear, shop::kMannerHelp);

namespace {

constexpr absl::Duration kPlacedWithin = absl::Minutes(10);

std::shared_ptr<grpc::ChannelInterface> ChannelToGateway() {
  const std::string address = absl::GetFlag(FLAGS_upstream).text;
  const auto credentials = grpc::InsecureChannelCredentials();
  if (absl::GetFlag(FLAGS_manner) == shop::Manner::kForbear) {
    return forbear::CreateChannel(address, credentials);
  }
  return grpc::CreateChannel(address, credentials);
}

bool SweepOnce(shop::Sweeper& sweeper) {
  const absl::StatusOr<shop::Swept> swept =
      sweeper.Sweep(kPlacedWithin, absl::GetFlag(FLAGS_window).time());
  if (!swept.ok()) {
    std::fprintf(stderr, "sweep: %s\n",
                 std::string(swept.status().message()).c_str());
    return false;
  }
  std::printf("sweep: %d orders without a courier, %d have one now\n",
              swept->found, swept->assigned);
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  shop::ParseFlagsOrExit(argc, argv);
  shop::Sweeper sweeper(ChannelToGateway());
  const absl::Duration period = absl::GetFlag(FLAGS_period).time();
  if (period == absl::ZeroDuration()) return SweepOnce(sweeper) ? 0 : 1;
  forbear::Chance chance;
  for (absl::Time due = forbear::SteadyNow();;
       due = forbear::JitteredPeriod(due, period, chance)) {
    shop::Pause(due - forbear::SteadyNow());
    SweepOnce(sweeper);
  }
}
