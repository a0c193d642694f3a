// The shop's servers, as processes: how they start, end, and work together.
#include <grpcpp/create_channel.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "examples/shop/from_now.h"
#include "examples/storm/admin.h"
#include "examples/storm/shop_processes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/testing/scripted_server.h"
#include "proto/shop.grpc.pb.h"
#include "tests/examples/programs.h"

namespace storm {
namespace testing {
namespace {

using forbear::testing::Answer;
using forbear::testing::ScriptedServer;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

constexpr absl::Duration kLong = absl::Minutes(1);

std::shared_ptr<grpc::Channel> ChannelTo(const std::string& address) {
  return grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
}

// Places a new order with so much patience.
grpc::Status PlaceOrder(const std::string& gateway, absl::Duration patience,
                        bool accept_cached, shop::PlaceOrderReply* reply) {
  grpc::ClientContext context;
  context.set_deadline(shop::FromNow(patience));
  shop::PlaceOrderRequest request;
  static int64_t orders = 0;
  request.mutable_order()->set_id(10 * orders++);
  request.mutable_order()->set_zone("north");
  request.set_accept_cached(accept_cached);
  return shop::Gateway::NewStub(ChannelTo(gateway))
      ->PlaceOrder(&context, request, reply);
}

class OneServerTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Servers, OneServerTest,
                         ::testing::Values("gateway", "payments", "dispatch",
                                           "routes"),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

TEST_P(OneServerTest, SaysWhereItListensAndEndsCleanlyOnSigterm) {
  auto server = StartProgram(GetParam(), {"--port=0"});
  const absl::StatusOr<std::string> line = server->ReadLine(kLong);
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(*line, MatchesRegex(absl::StrCat(
                         GetParam(), " listens on 127\\.0\\.0\\.1:[0-9]+")));
  server->Terminate();
  EXPECT_EQ(server->Await(kLong), 0);
}

TEST_P(OneServerTest, SaysWhenItsPortIsTaken) {
  auto first = StartProgram(GetParam(), {"--port=0"});
  const std::string address = AddressOf(*first);
  const std::string port = address.substr(address.find(':') + 1);
  const Ended second = RunToEnd(GetParam(), absl::StrCat("--port=", port));
  EXPECT_EQ(second.exit_status, 2);
  EXPECT_EQ(second.output,
            absl::StrCat(GetParam(), ": --port=", port,
                         ": not free; it takes a port from 0 to 65535, 0 for "
                         "any free one\n"));
}

TEST(UpstreamTest, MayComeLater) {
  std::string address;
  {
    auto earlier = StartProgram("routes", {"--port=0"});
    address = AddressOf(*earlier);  // Free again, once it has ended.
  }
  auto dispatch = StartProgram("dispatch", {"--upstream=" + address});
  const std::string dispatch_address = AddressOf(*dispatch);
  EXPECT_EQ(*dispatch->ReadLine(kLong),
            "dispatch: routes at " + address + " is not there yet");
  auto payments = StartProgram("payments", {});
  auto gateway = StartProgram(
      "gateway",
      {"--upstream=" + dispatch_address, "--payments=" + AddressOf(*payments)});
  const std::string gateway_address = AddressOf(*gateway);

  shop::PlaceOrderReply reply;
  EXPECT_TRUE(PlaceOrder(gateway_address, kLong, true, &reply).ok());
  EXPECT_EQ(reply.estimate().source(), shop::DeliveryEstimate::CACHED);

  const std::string port = address.substr(address.find(':') + 1);
  auto routes = StartProgram("routes", {"--port=" + port});
  AddressOf(*routes);
  do {
    EXPECT_TRUE(PlaceOrder(gateway_address, kLong, true, &reply).ok());
  } while (reply.estimate().source() != shop::DeliveryEstimate::LIVE);
}

TEST(DeadlineTest, IsHandedDownAndNeverLonger) {
  ScriptedServer dispatch;
  dispatch.Script({Answer::Succeeds(shop::AssignReply())});
  auto payments = StartProgram("payments", {});
  auto gateway =
      StartProgram("gateway", {"--upstream=" + dispatch.address(),
                               "--payments=" + AddressOf(*payments)});
  const std::string address = AddressOf(*gateway);
  for (const absl::Duration patience : {absl::Seconds(5), absl::Seconds(50)}) {
    // gRPC's clock may lag on a slow machine, now and then; what is rounded up
    // would be too long every time.
    absl::Duration least = absl::InfiniteDuration();
    for (int i = 0; i < 20 && least > patience; ++i) {
      shop::PlaceOrderReply reply;
      EXPECT_TRUE(PlaceOrder(address, patience, true, &reply).ok());
      least = std::min(least, dispatch.arrivals().back().time_left);
    }
    EXPECT_THAT(least, AllOf(Ge(absl::ZeroDuration()), Le(patience)));
  }
}

TEST(DeadlineTest, LeavesDispatchTheTimeToFallBack) {
  ScriptedServer routes;
  routes.Script({Answer::Hangs()});
  auto dispatch = StartProgram("dispatch", {"--upstream=" + routes.address()});
  auto payments = StartProgram("payments", {});
  auto gateway =
      StartProgram("gateway", {"--upstream=" + AddressOf(*dispatch),
                               "--payments=" + AddressOf(*payments)});
  shop::PlaceOrderReply reply;
  const grpc::Status status =
      PlaceOrder(AddressOf(*gateway), absl::Milliseconds(600), true, &reply);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(reply.estimate().source(), shop::DeliveryEstimate::CACHED);
  EXPECT_THAT(routes.arrivals(), SizeIs(1));
}

class ShopTest : public ::testing::TestWithParam<Manner> {
 protected:
  ShopTest() {
    auto started = ShopProcesses::Start(ProgramPath, {GetParam(), ""});
    EXPECT_TRUE(started.ok()) << started.status();
    shop_ = *std::move(started);
    admin_ = std::make_unique<Admin>(*shop_);
  }

  int64_t AttemptsAtRoutes() { return admin_->Routes()->arrived(); }

  std::unique_ptr<ShopProcesses> shop_;
  std::unique_ptr<Admin> admin_;
  shop::PlaceOrderReply reply_;
};

INSTANTIATE_TEST_SUITE_P(Manners, ShopTest,
                         ::testing::Values(Manner::kBare, Manner::kForbear),
                         [](const auto& info) {
                           return std::string(shop::MannerName(info.param));
                         });

TEST_P(ShopTest, GivesALiveEstimate) {
  const grpc::Status status =
      PlaceOrder(shop_->gateway(), kLong, true, &reply_);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(reply_.estimate().source(), shop::DeliveryEstimate::LIVE);
  EXPECT_EQ(reply_.estimate().time().seconds(), 20 * 60);
  EXPECT_EQ(AttemptsAtRoutes(), 1);
}

TEST_P(ShopTest, FallsBackOnWhatTheZoneTookLast) {
  EXPECT_TRUE(PlaceOrder(shop_->gateway(), kLong, true, &reply_).ok());
  ASSERT_TRUE(admin_->SetFault(shop::FAULT_FAILING, 0).ok());
  const grpc::Status status =
      PlaceOrder(shop_->gateway(), kLong, true, &reply_);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(reply_.estimate().source(), shop::DeliveryEstimate::CACHED);
  EXPECT_EQ(reply_.estimate().time().seconds(), 20 * 60);
}

TEST_P(ShopTest, RetriesInOneLayerWithForbearAndInEachByHand) {
  ASSERT_TRUE(admin_->SetFault(shop::FAULT_FAILING, 0).ok());
  const grpc::Status status =
      PlaceOrder(shop_->gateway(), kLong, /*accept_cached=*/false, &reply_);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("The map is not loaded"));
  EXPECT_EQ(AttemptsAtRoutes(), GetParam() == Manner::kBare ? 16 : 4);
}

TEST(PolicyTest, IsTheUsersOwnForCallsOfRoutes) {
  const std::string path = absl::StrCat(::testing::TempDir(), "policy.json");
  std::ofstream(path) << R"({"methods": [{
      "name": [{"service": "shop.Routes"}],
      "maxAttempts": 2, "backoff": {"initial": "0.001s"}}]})";
  auto shop = ShopProcesses::Start(ProgramPath, {Manner::kForbear, path});
  ASSERT_TRUE(shop.ok()) << shop.status();
  Admin admin(**shop);
  ASSERT_TRUE(admin.SetFault(shop::FAULT_FAILING, 0).ok());
  shop::PlaceOrderReply reply;
  EXPECT_TRUE(PlaceOrder((*shop)->gateway(), kLong, true, &reply).ok());
  EXPECT_EQ(admin.Routes()->arrived(), 2);
}

TEST(ShopProcessesTest, SaysWhereToGetRedis) {
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(setenv("PATH", "/nowhere:", /*overwrite=*/1), 0);
  const auto none = ShopProcesses::Start(ProgramPath, {});
  ASSERT_EQ(setenv("PATH", path.c_str(), /*overwrite=*/1), 0);
  EXPECT_EQ(none.status(),
            absl::NotFoundError(
                "redis-server: not on the PATH; payments keeps its charges "
                "there: install it (Debian's package is redis-server)"));
}

TEST(ShopProcessesTest, NamesTheServerThatDidNotStart) {
  const auto none = ShopProcesses::Start(
      [](const std::string& name) { return "/nowhere/" + name; }, {});
  EXPECT_EQ(none.status(),
            absl::NotFoundError(
                "routes: /nowhere/routes: No such file or directory"));
  const auto ended = ShopProcesses::Start(
      [](const std::string& name) {
        return name == "dispatch" ? "/bin/false" : ProgramPath(name);
      },
      {});
  EXPECT_EQ(ended.status(),
            absl::UnavailableError("dispatch: ended with exit status 1"));
}

}  // namespace
}  // namespace testing
}  // namespace storm
