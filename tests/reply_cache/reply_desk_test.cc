#include "interceptors/reply_cache/reply_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/time/time.h"

namespace forbear {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Start = ReplyDesk::Start;

absl::Time At(int seconds) {
  return absl::UnixEpoch() + absl::Seconds(seconds);
}

TEST(ReplyDeskTest, TheFirstOfAKeyRunsAndTheOthersWaitForIt) {
  ReplyDesk desk;
  EXPECT_EQ(desk.Begin("k", "r", 1, At(9)), Start::kFirst);
  EXPECT_EQ(desk.Begin("k", "r", 2, At(9)), Start::kWaits);
  EXPECT_EQ(desk.Begin("k", "r", 3, At(5)), Start::kWaits);
  EXPECT_EQ(desk.Begin("other", "r", 4, At(9)), Start::kFirst);
  EXPECT_THAT(desk.End("k"), ElementsAre(2, 3));
  EXPECT_EQ(desk.Begin("k", "r", 5, At(9)), Start::kFirst);
  EXPECT_EQ(desk.waiting(), 0);
}

TEST(ReplyDeskTest, AnotherRequestUnderTheSameKeyDoesNotWait) {
  ReplyDesk desk;
  EXPECT_EQ(desk.Begin("k", "r", 1, At(9)), Start::kFirst);
  EXPECT_EQ(desk.Begin("k", "other", 2, At(9)), Start::kOther);
  EXPECT_THAT(desk.End("k"), IsEmpty());
}

TEST(ReplyDeskTest, NobodyWaitsForLongerThanItWould) {
  ReplyDesk desk;
  EXPECT_EQ(desk.WakeAt(), absl::InfiniteFuture());
  desk.Begin("k", "r", 1, At(1));
  EXPECT_EQ(desk.WakeAt(), absl::InfiniteFuture());  // The first runs.
  desk.Begin("k", "r", 2, At(9));
  desk.Begin("k", "r", 3, At(5));
  desk.Begin("k", "r", 4, absl::InfiniteFuture());
  EXPECT_EQ(desk.WakeAt(), At(5));
  EXPECT_THAT(desk.Late(At(5) - absl::Nanoseconds(1)), IsEmpty());
  EXPECT_THAT(desk.Late(At(5)), ElementsAre(3));
  EXPECT_THAT(desk.End("k"), ElementsAre(2, 4));
  EXPECT_THAT(desk.Late(At(100)), IsEmpty());
}

TEST(ReplyDeskTest, EndingWhatIsNotUnderWayIsNothing) {
  ReplyDesk desk;
  EXPECT_THAT(desk.End("k"), IsEmpty());
  EXPECT_EQ(desk.running(), 0);
}

}  // namespace
}  // namespace forbear
