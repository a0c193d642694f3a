// A key is charged or closed, whichever comes first: in memory and on a real
// Redis alike.
#include "examples/payments/ledger.h"

#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "examples/payments/memory_ledger.h"
#include "examples/payments/redis_ledger.h"
#include "examples/storm/redis_process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/reply_cache/redis_connection.h"

namespace shop {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Charge ChargeOf(const std::string& id, const std::string& key) {
  Charge charge;
  charge.set_id(id);
  charge.set_key(key);
  charge.set_order_id(7);
  charge.set_cents(1'250);
  return charge;
}

std::vector<std::string> Ids(Ledger& ledger) {
  const absl::StatusOr<std::vector<Charge>> charges = ledger.Charges();
  EXPECT_TRUE(charges.ok()) << charges.status();
  std::vector<std::string> ids;
  for (const Charge& charge : *charges) ids.push_back(charge.id());
  return ids;
}

std::pair<std::string, int> HostAndPort(const std::string& address) {
  const size_t colon = address.rfind(':');
  int port = 0;
  EXPECT_TRUE(absl::SimpleAtoi(address.substr(colon + 1), &port));
  return {address.substr(0, colon), port};
}

enum class Kept { kMemory, kRedis };

class LedgerTest : public ::testing::TestWithParam<Kept> {
 protected:
  LedgerTest() {
    if (GetParam() == Kept::kMemory) {
      ledger_ = std::make_unique<MemoryLedger>();
      return;
    }
    auto redis = storm::RedisProcess::Start();
    EXPECT_TRUE(redis.ok()) << redis.status();
    redis_ = *std::move(redis);
    const auto [host, port] = HostAndPort(redis_->address());
    ledger_ = std::make_unique<RedisLedger>(host, port);
  }

  std::unique_ptr<storm::RedisProcess> redis_;
  std::unique_ptr<Ledger> ledger_;
};

INSTANTIATE_TEST_SUITE_P(Kept, LedgerTest,
                         ::testing::Values(Kept::kMemory, Kept::kRedis),
                         [](const auto& info) {
                           return info.param == Kept::kMemory ? "InMemory"
                                                              : "OnRedis";
                         });

TEST_P(LedgerTest, GivesACallerTheChargeThatItsKeyHas) {
  const absl::StatusOr<Charge> first = ledger_->Enter(ChargeOf("a", "k"));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->id(), "a");
  EXPECT_EQ(first->cents(), 1'250);
  EXPECT_EQ(ledger_->Enter(ChargeOf("b", "k"))->id(), "a");
  EXPECT_EQ(ledger_->Settle("k")->id(), "a");
  EXPECT_THAT(Ids(*ledger_), ElementsAre("a"));
}

TEST_P(LedgerTest, ChargesEachTimeWithoutAKey) {
  EXPECT_EQ(ledger_->Enter(ChargeOf("a", ""))->id(), "a");
  EXPECT_EQ(ledger_->Enter(ChargeOf("b", ""))->id(), "b");
  EXPECT_THAT(Ids(*ledger_), ElementsAre("a", "b"));
}

TEST_P(LedgerTest, ClosesAKeyThatWasNotCharged) {
  EXPECT_EQ(ledger_->Settle("k")->id(), "");
  EXPECT_EQ(ledger_->Enter(ChargeOf("a", "k")).status(),
            absl::FailedPreconditionError(
                "the key k is closed: somebody was told that it was not "
                "charged; use a new one"));
  EXPECT_EQ(ledger_->Settle("k")->id(), "");
  EXPECT_THAT(Ids(*ledger_), IsEmpty());
}

TEST_P(LedgerTest, LetsOneOfManyWin) {
  std::vector<std::string> ids(8);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < ids.size(); ++i) {
    threads.emplace_back([&, i] {
      ids[i] = ledger_->Enter(ChargeOf(std::to_string(i), "k"))->id();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(ids, ::testing::Each(ids[0]));
  EXPECT_THAT(Ids(*ledger_), ElementsAre(ids[0]));
}

TEST_P(LedgerTest, GivesAKeyToOneOrderAndAmountOnly) {
  EXPECT_TRUE(ledger_->Enter(ChargeOf("a", "k")).ok());
  Charge other = ChargeOf("b", "k");
  other.set_cents(900);
  EXPECT_EQ(ledger_->Enter(other).status(),
            absl::FailedPreconditionError(
                "the key k belongs to order 7 and 1250 cents, not to order 7 "
                "and 900; use a new one"));
  EXPECT_THAT(Ids(*ledger_), ElementsAre("a"));
}

class RedisLedgerTest : public ::testing::Test {
 protected:
  RedisLedgerTest() {
    auto redis = storm::RedisProcess::Start();
    EXPECT_TRUE(redis.ok()) << redis.status();
    redis_ = *std::move(redis);
    std::tie(host_, port_) = HostAndPort(redis_->address());
    ledger_ = std::make_unique<RedisLedger>(host_, port_);
  }

  std::unique_ptr<storm::RedisProcess> redis_;
  std::string host_;
  int port_ = 0;
  std::unique_ptr<RedisLedger> ledger_;
};

TEST_F(RedisLedgerTest, OutlivesItsProcess) {
  EXPECT_EQ(ledger_->Enter(ChargeOf("a", "k"))->id(), "a");
  ledger_ = std::make_unique<RedisLedger>(host_, port_);
  EXPECT_EQ(ledger_->Enter(ChargeOf("b", "k"))->id(), "a");
  EXPECT_THAT(Ids(*ledger_), SizeIs(1));
}

TEST_F(RedisLedgerTest, TakesNothingElseForACharge) {
  forbear::RedisConnection redis(host_, port_, absl::Seconds(1));
  ASSERT_TRUE(redis.Ask({"SET", "shop:charge:k", "something"}).ok());
  ASSERT_TRUE(redis.Ask({"RPUSH", "shop:charges", "something"}).ok());
  for (const absl::Status& status :
       {ledger_->Enter(ChargeOf("a", "k")).status(),
        ledger_->Settle("k").status(), ledger_->Charges().status()}) {
    EXPECT_EQ(status,
              absl::DataLossError("Redis holds something under shop:charge: or "
                                  "shop:charges that is no charge; keep other "
                                  "things elsewhere"));
  }
}

TEST_F(RedisLedgerTest, SaysWhenItCannotBeAsked) {
  EXPECT_TRUE(ledger_->Enter(ChargeOf("a", "k")).ok());
  redis_ = nullptr;
  for (const absl::Status& status :
       {ledger_->Enter(ChargeOf("b", "l")).status(),
        ledger_->Settle("k").status(), ledger_->Charges().status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(status.message()),
                ::testing::StartsWith("Redis at 127.0.0.1:"));
  }
}

}  // namespace
}  // namespace shop
