// A card is charged once, whoever asks again and whatever dies in between.
#include <grpcpp/create_channel.h>
#include <signal.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "examples/shop/from_now.h"
#include "examples/storm/redis_process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/shop.grpc.pb.h"
#include "proto/shop_admin.grpc.pb.h"
#include "tests/examples/programs.h"

namespace storm {
namespace testing {
namespace {

using ::testing::Each;
using ::testing::Ne;

constexpr absl::Duration kLong = absl::Minutes(1);

class PaymentsTest : public ::testing::Test {
 protected:
  PaymentsTest() {
    auto redis = RedisProcess::Start();
    EXPECT_TRUE(redis.ok()) << redis.status();
    redis_ = *std::move(redis);
    Start("0");
  }

  void Start(const std::string& port) {
    payments_ = StartProgram(
        "payments", {"--port=" + port, "--redis=" + redis_->address()});
    address_ = AddressOf(*payments_);
    stub_ = shop::Payments::NewStub(Channel());
  }

  std::shared_ptr<grpc::Channel> Channel() {
    return grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
  }

  // The charge's id; an error's text after a '!'.
  std::string Charge(const std::string& key, int64_t order = 7) {
    grpc::ClientContext context;
    context.set_deadline(shop::FromNow(kLong));
    if (!key.empty()) context.AddMetadata("idempotency-key", key);
    shop::ChargeRequest request;
    request.mutable_order()->set_id(order);
    shop::ChargeReply reply;
    const grpc::Status status = stub_->Charge(&context, request, &reply);
    return status.ok() ? reply.charge().id() : "!" + status.error_message();
  }

  grpc::Status Settle(const std::string& key, shop::SettleChargeReply* reply) {
    grpc::ClientContext context;
    context.set_deadline(shop::FromNow(kLong));
    shop::SettleChargeRequest request;
    request.set_key(key);
    return stub_->SettleCharge(&context, request, reply);
  }

  int Charges() {
    grpc::ClientContext context;
    shop::ListChargesReply reply;
    EXPECT_TRUE(stub_->ListCharges(&context, {}, &reply).ok());
    return reply.charges_size();
  }

  std::unique_ptr<RedisProcess> redis_;
  std::unique_ptr<ChildProcess> payments_;
  std::string address_;
  std::unique_ptr<shop::Payments::Stub> stub_;
};

TEST_F(PaymentsTest, ChargesOnceForItsKeyAndEachTimeWithoutOne) {
  const std::string id = Charge("k");
  EXPECT_EQ(Charge("k"), id);
  EXPECT_THAT(Charge("l"), Ne(id));
  EXPECT_THAT(Charge(""), Ne(Charge("")));
  EXPECT_EQ(Charges(), 4);
}

TEST_F(PaymentsTest, HoldsASecondChargeUntilTheFirstHasEnded) {
  std::vector<std::string> ids(6);
  std::vector<std::thread> callers;
  for (std::string& id : ids) {
    callers.emplace_back([this, &id] { id = Charge("k"); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(ids, Each(ids[0]));
  EXPECT_EQ(Charges(), 1);
  grpc::ClientContext context;
  shop::Counts counts;
  EXPECT_TRUE(
      shop::Counters::NewStub(Channel())->Read(&context, {}, &counts).ok());
  EXPECT_EQ(counts.arrived(), 1);  // The others never came to the handler.
}

TEST_F(PaymentsTest, RefusesAKeyThatBelongsToAnotherOrder) {
  Charge("k", /*order=*/1);
  EXPECT_EQ(Charge("k", /*order=*/2)[0], '!');
  EXPECT_EQ(Charges(), 1);
}

TEST_F(PaymentsTest, TellsWhatBecameOfAKeyOrClosesIt) {
  const std::string id = Charge("k");
  shop::SettleChargeReply reply;
  EXPECT_TRUE(Settle("k", &reply).ok());
  EXPECT_EQ(reply.charge().id(), id);
  EXPECT_TRUE(Settle("l", &reply).ok());
  EXPECT_FALSE(reply.has_charge());
  EXPECT_EQ(Charge("l"),
            "!the key l is closed: somebody was told that it was not charged; "
            "use a new one");
  EXPECT_EQ(Settle("", &reply).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

// Whatever the moment of its death was.
TEST_F(PaymentsTest, ChargesOnceThoughItIsKilledInBetween) {
  for (int i = 0; i < 5; ++i) {
    const std::string key = "k" + std::to_string(i);
    std::string first;
    std::thread caller([&] { first = Charge(key); });
    // Its death comes at another moment each time: that is the point, and
    // every moment has the same end.
    for (int look = 0; look < 40 * i; ++look) Charges();
    payments_->Signal(SIGKILL);
    payments_->Await(kLong);
    caller.join();
    Start(address_.substr(address_.find(':') + 1));
    const std::string again = Charge(key);
    EXPECT_NE(again[0], '!') << again;
    if (first[0] != '!') {
      EXPECT_EQ(again, first);
    }
    EXPECT_EQ(Charge(key), again);
    EXPECT_EQ(Charges(), i + 1);
  }
}

}  // namespace
}  // namespace testing
}  // namespace storm
