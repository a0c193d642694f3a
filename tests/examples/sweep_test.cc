// The sweep finds a courier for what has none, and what a tool can see of it.
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <signal.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "examples/storm/admin.h"
#include "examples/storm/driver.h"
#include "examples/storm/shop_processes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/shop.grpc.pb.h"
#include "tests/examples/programs.h"

namespace storm {
namespace testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Property;

class SweepTest : public ::testing::TestWithParam<Manner> {
 protected:
  SweepTest() {
    auto started = ShopProcesses::Start(ProgramPath, {GetParam(), ""});
    EXPECT_TRUE(started.ok()) << started.status();
    shop_ = *std::move(started);
    admin_ = std::make_unique<Admin>(*shop_);
    driver_ = std::make_unique<Driver>(shop_->gateway(), GetParam());
  }

  void PlaceAndAwait(int orders) {
    for (int i = 0; i < orders; ++i) driver_->Place(/*sampled=*/false);
    while (!driver_->Settled()) {
    }
  }

  std::string Sweep(absl::Duration window) {
    auto sweep = shop_->Sweep(window);
    EXPECT_TRUE(sweep.ok()) << sweep.status();
    const std::string line = *(*sweep)->ReadLine(absl::Minutes(1));
    EXPECT_EQ((*sweep)->Await(absl::Minutes(1)), 0);
    return line;
  }

  int Couriers() {
    grpc::ClientContext context;
    shop::ListCouriersReply reply;
    auto stub = shop::Dispatch::NewStub(grpc::CreateChannel(
        shop_->dispatch(), grpc::InsecureChannelCredentials()));
    EXPECT_TRUE(stub->ListCouriers(&context, {}, &reply).ok());
    int orders = 0;
    for (const shop::Courier& courier : reply.couriers()) {
      orders += courier.order_ids_size();
    }
    return orders;
  }

  std::unique_ptr<ShopProcesses> shop_;
  std::unique_ptr<Admin> admin_;
  std::unique_ptr<Driver> driver_;
};

INSTANTIATE_TEST_SUITE_P(Manners, SweepTest,
                         ::testing::Values(Manner::kBare, Manner::kForbear),
                         [](const auto& info) {
                           return std::string(shop::MannerName(info.param));
                         });

TEST_P(SweepTest, FindsACourierForWhatHasNone) {
  ASSERT_TRUE(admin_->SetFault(shop::FAULT_FAILING, 0).ok());
  PlaceAndAwait(7);
  ASSERT_TRUE(admin_->SetFault(shop::FAULT_NONE, 0).ok());
  PlaceAndAwait(2);
  EXPECT_EQ(Couriers(), 2);
  EXPECT_EQ(Sweep(absl::Milliseconds(50)),
            "sweep: 7 orders without a courier, 7 have one now");
  EXPECT_EQ(Couriers(), 9);
  EXPECT_THAT(*admin_->Orders(),
              Each(Property(&shop::PlacedOrder::state, shop::ASSIGNED)));
  EXPECT_EQ(Sweep(absl::ZeroDuration()),
            "sweep: 0 orders without a courier, 0 have one now");
  EXPECT_EQ(admin_->Charges()->size(), 9);
}

TEST_P(SweepTest, LeavesWhatItCannotAssignForTheNext) {
  ASSERT_TRUE(admin_->SetFault(shop::FAULT_FAILING, 0).ok());
  PlaceAndAwait(3);
  EXPECT_EQ(Sweep(absl::ZeroDuration()),
            "sweep: 3 orders without a courier, 0 have one now");
  ASSERT_TRUE(admin_->SetFault(shop::FAULT_NONE, 0).ok());
  EXPECT_EQ(Sweep(absl::ZeroDuration()),
            "sweep: 3 orders without a courier, 3 have one now");
}

TEST_P(SweepTest, SweepsAgainAndAgainWithAPeriod) {
  auto sweep = StartProgram(
      "sweep", {"--upstream=" + shop_->gateway(), "--period=50ms"});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(*sweep->ReadLine(absl::Minutes(1)),
              "sweep: 0 orders without a courier, 0 have one now");
  }
  sweep->Terminate();
  EXPECT_EQ(sweep->Await(absl::Minutes(1)), 128 + SIGTERM);
}

TEST(SweepProgramTest, SaysWhenItCannotAskGateway) {
  const Ended ended = RunToEnd("sweep", "--upstream=127.0.0.1:1");
  EXPECT_EQ(ended.exit_status, 1);
  EXPECT_THAT(ended.output, HasSubstr("sweep: gateway: "));
}

// One message there, and the first one back.
std::string Ask(const std::string& address, const std::string& method,
                const std::string& message) {
  grpc::GenericStub stub(
      grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  const auto call = stub.PrepareCall(&context, method, &queue);
  const auto step = [&queue](const auto& start) {
    start(&queue);
    void* tag;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const grpc::Slice slice(message);
  grpc::ByteBuffer reply;
  grpc::Status status;
  EXPECT_TRUE(step([&](void* tag) { call->StartCall(tag); }));
  EXPECT_TRUE(
      step([&](void* tag) { call->Write(grpc::ByteBuffer(&slice, 1), tag); }));
  EXPECT_TRUE(step([&](void* tag) { call->Read(&reply, tag); }));
  EXPECT_TRUE(step([&](void* tag) { call->WritesDone(tag); }));
  EXPECT_TRUE(step([&](void* tag) { call->Finish(&status, tag); }));
  EXPECT_TRUE(status.ok()) << status.error_message();
  grpc::Slice text;
  EXPECT_TRUE(reply.DumpToSingleSlice(&text).ok());
  return std::string(reinterpret_cast<const char*>(text.begin()), text.size());
}

TEST_P(SweepTest, LetsAnyToolLook) {
  const struct {
    std::string address;
    const char* service;
  } kServers[] = {{shop_->gateway(), "shop.Gateway"},
                  {shop_->payments(), "shop.Payments"},
                  {shop_->dispatch(), "shop.Dispatch"},
                  {shop_->routes(), "shop.Routes"}};
  for (const auto& server : kServers) {
    SCOPED_TRACE(server.service);
    // ServerReflectionRequest.list_services (7) = "*".
    EXPECT_THAT(
        Ask(server.address,
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
            "\x3a\x01*"),
        HasSubstr(server.service));
    // HealthCheckResponse.status (1) = SERVING (1).
    EXPECT_EQ(Ask(server.address, "/grpc.health.v1.Health/Check", ""),
              "\x08\x01");
  }
}

}  // namespace
}  // namespace testing
}  // namespace storm
