#include "interceptors/server/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace forbear {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Trailers = std::multimap<std::string, std::string>;

constexpr auto kUnavailable = absl::StatusCode::kUnavailable;

TEST(AnswerTest, CountsWhatIsNoCodeAsUnknown) {
  EXPECT_EQ(AnswerCode(0), absl::StatusCode::kOk);
  EXPECT_EQ(AnswerCode(16), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(AnswerCode(17), absl::StatusCode::kUnknown);
  EXPECT_EQ(AnswerCode(-1), absl::StatusCode::kUnknown);
}

TEST(AnswerTest, SaysNotToRetryWhatWasGivenUp) {
  CallScope scope{CallScope::Inbound()};
  Trailers trailers = {{"other", "stays"}};
  EXPECT_FALSE(SettleAnswer(scope, kUnavailable, Mode::kEnforce, &trailers));
  EXPECT_THAT(trailers, ElementsAre(Pair("other", "stays")));

  scope.NoteGaveUp(kUnavailable);
  EXPECT_FALSE(SettleAnswer(scope, kUnavailable, Mode::kObserve, &trailers));
  EXPECT_FALSE(SettleAnswer(scope, absl::StatusCode::kAborted, Mode::kEnforce,
                            &trailers));
  EXPECT_FALSE(
      SettleAnswer(scope, absl::StatusCode::kOk, Mode::kEnforce, &trailers));
  EXPECT_THAT(trailers, ElementsAre(Pair("other", "stays")));

  EXPECT_TRUE(SettleAnswer(scope, kUnavailable, Mode::kEnforce, &trailers));
  EXPECT_THAT(trailers, ElementsAre(Pair("grpc-retry-pushback-ms", "-1"),
                                    Pair("other", "stays")));
  // Once is enough.
  EXPECT_FALSE(SettleAnswer(scope, kUnavailable, Mode::kEnforce, &trailers));
}

TEST(AnswerTest, RemovesEveryClaimOfNotApplied) {
  CallScope scope{CallScope::Inbound()};
  Trailers trailers = {{"forbear-not-applied", "1"},
                       {"forbear-not-applied", "yes"}};
  SettleAnswer(scope, absl::StatusCode::kOk, Mode::kObserve, &trailers);
  EXPECT_THAT(trailers, IsEmpty());
}

TEST(PastDeadlineTest, CountsOnlyWhatCameAfterTheDeadline) {
  const absl::Time entered = absl::UnixEpoch();
  const absl::Time now = entered + absl::Seconds(5);
  EXPECT_EQ(PastDeadline(entered, absl::InfiniteFuture(), now),
            absl::ZeroDuration());
  EXPECT_EQ(PastDeadline(entered, entered + absl::Seconds(6), now),
            absl::ZeroDuration());
  EXPECT_EQ(PastDeadline(entered, entered + absl::Seconds(3), now),
            absl::Seconds(2));
  EXPECT_EQ(PastDeadline(entered, entered - absl::Seconds(3), now),
            absl::Seconds(5));
}

}  // namespace
}  // namespace forbear
