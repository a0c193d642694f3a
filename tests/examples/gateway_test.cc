// What becomes of an order whose charge nobody knows about.
#include <grpcpp/create_channel.h>

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "examples/shop/from_now.h"
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
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::Duration kLong = absl::Minutes(1);

shop::SettleChargeReply Charged() {
  shop::SettleChargeReply reply;
  reply.mutable_charge()->set_id("c");
  return reply;
}

class GatewayTest : public ::testing::Test {
 protected:
  GatewayTest() {
    shop::AssignReply assigned;
    assigned.set_courier("courier 1");
    assigned.mutable_estimate()->set_source(shop::DeliveryEstimate::LIVE);
    dispatch_.Script({Answer::Succeeds(assigned)});
    gateway_ = StartProgram("gateway", {"--upstream=" + dispatch_.address(),
                                        "--payments=" + payments_.address()});
    stub_ = shop::Gateway::NewStub(grpc::CreateChannel(
        AddressOf(*gateway_), grpc::InsecureChannelCredentials()));
  }

  grpc::Status Place(int64_t id, absl::Duration patience,
                     shop::PlaceOrderReply* reply) {
    grpc::ClientContext context;
    context.set_deadline(shop::FromNow(patience));
    context.AddMetadata("idempotency-key", "inbound");
    shop::PlaceOrderRequest request;
    request.mutable_order()->set_id(id);
    return stub_->PlaceOrder(&context, request, reply);
  }

  shop::OrderState StateOf(int64_t id) {
    grpc::ClientContext context;
    shop::ListOrdersReply orders;
    EXPECT_TRUE(stub_->ListOrders(&context, {}, &orders).ok());
    for (const shop::PlacedOrder& placed : orders.orders()) {
      if (placed.order().id() == id) return placed.state();
    }
    return shop::ORDER_STATE_UNSPECIFIED;
  }

  void AwaitState(int64_t id, shop::OrderState state) {
    while (StateOf(id) != state) {
    }
  }

  ScriptedServer dispatch_;
  ScriptedServer payments_;
  std::unique_ptr<ChildProcess> gateway_;
  std::unique_ptr<shop::Gateway::Stub> stub_;
  shop::PlaceOrderReply reply_;
};

TEST_F(GatewayTest, ChargesUnderTheOrdersKeyAndAssignsUnderADerivedOne) {
  payments_.Script({Answer::Succeeds(shop::ChargeReply())});
  EXPECT_TRUE(Place(17, kLong, &reply_).ok());
  EXPECT_EQ(reply_.state(), shop::ASSIGNED);
  EXPECT_THAT(payments_.arrivals().at(0).Values("idempotency-key"),
              ElementsAre("order-17"));
  EXPECT_THAT(dispatch_.arrivals().at(0).Values("idempotency-key"),
              ElementsAre("inbound/shop.Dispatch/Assign/courier"));
}

TEST_F(GatewayTest, SaysThatAnOrderIsPendingAndFindsOutThatItWasPaid) {
  payments_.Script({Answer::Hangs(), Answer::Succeeds(Charged())});
  EXPECT_TRUE(Place(17, absl::Milliseconds(800), &reply_).ok());
  EXPECT_EQ(reply_.state(), shop::PENDING);
  EXPECT_FALSE(reply_.has_estimate());
  AwaitState(17, shop::UNASSIGNED);
  EXPECT_EQ(payments_.arrivals().at(1).method, "/shop.Payments/SettleCharge");
  shop::SettleChargeRequest asked;
  asked.ParseFromString(payments_.arrivals().at(1).request);
  EXPECT_EQ(asked.key(), "order-17");
  EXPECT_THAT(dispatch_.arrivals(), IsEmpty());
}

TEST_F(GatewayTest, FindsOutThatAPendingOrderWasNotPaid) {
  payments_.Script({Answer::Hangs(),
                    Answer::Fails(grpc::StatusCode::UNKNOWN, "not yet"),
                    Answer::Succeeds(shop::SettleChargeReply())});
  EXPECT_TRUE(Place(17, absl::Milliseconds(800), &reply_).ok());
  EXPECT_EQ(reply_.state(), shop::PENDING);
  AwaitState(17, shop::UNPAID);

  // Its key is closed. Whoever places it again pays under the next.
  payments_.Script({Answer::Succeeds(shop::ChargeReply())});
  const size_t before = payments_.arrivals().size();
  EXPECT_TRUE(Place(17, kLong, &reply_).ok());
  EXPECT_EQ(reply_.state(), shop::ASSIGNED);
  EXPECT_THAT(payments_.arrivals().at(before).Values("idempotency-key"),
              ElementsAre("order-17-again-1"));
}

TEST_F(GatewayTest, TakesNoPriceBelowZero) {
  grpc::ClientContext context;
  shop::PlaceOrderRequest request;
  request.mutable_order()->set_cents(-5);
  const grpc::Status status = stub_->PlaceOrder(&context, request, &reply_);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "PlaceOrderRequest.order.cents -5: it takes an amount from 0 up");
  EXPECT_THAT(payments_.arrivals(), IsEmpty());
}

TEST_F(GatewayTest, TellsWhoAsksAgainHowItsOrderStands) {
  payments_.Script({Answer::Succeeds(shop::ChargeReply())});
  EXPECT_TRUE(Place(17, kLong, &reply_).ok());
  EXPECT_TRUE(Place(17, kLong, &reply_).ok());
  EXPECT_EQ(reply_.state(), shop::ASSIGNED);
  EXPECT_EQ(reply_.estimate().source(), shop::DeliveryEstimate::LIVE);
  EXPECT_EQ(payments_.arrivals().size(), 1);
  EXPECT_EQ(dispatch_.arrivals().size(), 1);
}

TEST_F(GatewayTest, KnowsNoOrderThatWasNotPlaced) {
  grpc::ClientContext context;
  shop::ReenqueueRequest request;
  request.set_order_id(5);
  shop::ReenqueueReply reply;
  const grpc::Status status = stub_->Reenqueue(&context, request, &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(),
            "ReenqueueRequest.order_id 5: no such order; ListOrders tells "
            "which there are");
}

}  // namespace
}  // namespace testing
}  // namespace storm
