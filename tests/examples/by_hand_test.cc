// What each measure adds to retries by hand.
#include "examples/shop/by_hand.h"

#include <algorithm>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shop {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;

const grpc::Status kFails(grpc::StatusCode::UNAVAILABLE, "");

// For each try of a call that fails, whether it was said to be the last.
std::vector<bool> Tries(ByHand& by_hand) {
  std::vector<bool> tries;
  EXPECT_FALSE(by_hand
                   .Try({absl::Minutes(1)},
                        [&](grpc::ClientContext*, bool last) {
                          tries.push_back(last);
                          return kFails;
                        })
                   .ok());
  return tries;
}

TEST(ByHandTest, TriesFourTimesAndDoublesTenMilliseconds) {
  ByHand by_hand(Manner::kBare);
  EXPECT_THAT(Tries(by_hand), ElementsAre(false, false, false, true));
  EXPECT_EQ(by_hand.Wait(1), absl::Milliseconds(10));
  EXPECT_EQ(by_hand.Wait(3), absl::Milliseconds(40));
  EXPECT_EQ(by_hand.Wait(1'000), absl::Milliseconds(655'360));
}

TEST(ByHandTest, EndsWithTheFirstSuccess) {
  ByHand by_hand(Manner::kBare);
  int tries = 0;
  EXPECT_TRUE(by_hand
                  .Try({absl::Minutes(1)},
                       [&](grpc::ClientContext*, bool) {
                         return ++tries < 3 ? kFails : grpc::Status::OK;
                       })
                  .ok());
  EXPECT_EQ(tries, 3);
}

TEST(ByHandTest, DrawsItsWaitsWithJitter) {
  const ByHand by_hand(Manner::kJitter);
  std::vector<absl::Duration> waits;
  for (int i = 0; i < 100; ++i) waits.push_back(by_hand.Wait(2));
  EXPECT_THAT(waits, Each(AllOf(Ge(absl::ZeroDuration()),
                                Le(absl::Milliseconds(400)))));
  EXPECT_NE(*std::min_element(waits.begin(), waits.end()),
            *std::max_element(waits.begin(), waits.end()));
}

TEST(ByHandTest, TriesOnceWhenItsBudgetIsSpent) {
  ByHand by_hand(Manner::kBudget);
  while (by_hand.budget()->TrySpend(absl::InfinitePast())) {
  }
  EXPECT_THAT(Tries(by_hand), ElementsAre(true));
}

TEST(ByHandTest, TriesInOneLayerAlone) {
  ByHand above(Manner::kOneLayer);
  EXPECT_THAT(Tries(above), ElementsAre(true));
  EXPECT_EQ(ByHand(Manner::kOneLayer, /*retries=*/true).tries(), 4);
}

}  // namespace
}  // namespace shop
