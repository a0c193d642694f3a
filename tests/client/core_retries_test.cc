#include "interceptors/client/core_retries.h"

#include <string>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace forbear {
namespace {

constexpr char kTwo[] = R"({"methodConfig": [
    {"name": [{"service": "shop.Routes"}], "retryPolicy": {"maxAttempts": 4}},
    {"name": [{"service": "shop.Routes", "method": "Charge"}, {}]}]})";

class CoreRetriesTest : public ::testing::Test {
 protected:
  bool ActOn(const std::string& method) {
    CoreRetries::Seen seen;
    return retries_.ActOn(method, &seen, now_);
  }

  std::string config_;
  int looks_ = 0;
  absl::Time now_ = absl::UnixEpoch();
  CoreRetries retries_{[this] {
    ++looks_;
    return config_;
  }};
  CoreRetries::Seen seen_;
};

TEST_F(CoreRetriesTest, ActOnNothingWithoutAConfig) {
  EXPECT_FALSE(ActOn("/shop.Routes/Estimate"));
  EXPECT_FALSE(retries_.LookAndActOn("/shop.Routes/Estimate", &seen_));
  config_ = "{}";
  EXPECT_FALSE(retries_.LookAndActOn("/shop.Routes/Estimate", &seen_));
  EXPECT_FALSE(seen_.ever());
}

TEST_F(CoreRetriesTest, GoByTheNarrowestName) {
  config_ = kTwo;
  EXPECT_TRUE(ActOn("/shop.Routes/Estimate"));
  EXPECT_FALSE(ActOn("/shop.Routes/Charge"));
  EXPECT_FALSE(ActOn("/shop.Orders/Place"));
  config_ = R"({"methodConfig": [{"name": [{}], "retryPolicy": {}}]})";
  now_ += absl::Seconds(1);
  EXPECT_TRUE(ActOn("/shop.Orders/Place"));
}

TEST_F(CoreRetriesTest, LookOnEveryCallUntilAConfigIsKnownThenOnceASecond) {
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(ActOn("/shop.Routes/Estimate"));
  EXPECT_EQ(looks_, 3);
  config_ = kTwo;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ActOn("/shop.Routes/Estimate"));
  EXPECT_EQ(looks_, 4);
  now_ += absl::Seconds(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ActOn("/shop.Routes/Estimate"));
  EXPECT_EQ(looks_, 5);
}

TEST_F(CoreRetriesTest, NoticeAConfigThatComesLateOrGoes) {
  EXPECT_FALSE(retries_.ActOn("/shop.Routes/Estimate", &seen_, now_));
  config_ = kTwo;
  EXPECT_TRUE(retries_.LookAndActOn("/shop.Routes/Estimate", &seen_));
  EXPECT_TRUE(retries_.ActOn("/shop.Routes/Estimate", &seen_, now_));
  config_ = "{}";
  EXPECT_FALSE(retries_.LookAndActOn("/shop.Routes/Estimate", &seen_));
  EXPECT_TRUE(seen_.ever());
}

TEST_F(CoreRetriesTest, AreTakenToActWhereTheConfigCannotBeRead) {
  config_ = "{methodConfig";
  EXPECT_TRUE(ActOn("/shop.Routes/Estimate"));
}

}  // namespace
}  // namespace forbear
