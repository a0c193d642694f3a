#include "interceptors/policy/pushback.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "interceptors/testing/split_mix64.h"
#include "proto/rpc_status.pb.h"

namespace forbear {
namespace {

using Kind = Pushback::Kind;

Pushback FromTrailer(absl::string_view value) {
  return ReadPushback({value}, "");
}

Pushback FromDetails(const std::string& details) {
  return ReadPushback({}, details);
}

void AddRetryInfo(int64_t seconds, int32_t nanos, wire::Status* status) {
  wire::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(seconds);
  info.mutable_retry_delay()->set_nanos(nanos);
  wire::Detail* detail = status->add_details();
  detail->set_type_url("type.googleapis.com/google.rpc.RetryInfo");
  detail->set_value(info.SerializeAsString());
}

std::string RetryInfo(int64_t seconds, int32_t nanos) {
  wire::Status status;
  status.set_code(8);
  status.set_message("slow down");
  AddRetryInfo(seconds, nanos, &status);
  return status.SerializeAsString();
}

TEST(PushbackTest, IsAbsentWhereNothingWasSaid) {
  EXPECT_EQ(ReadPushback({}, "").kind, Kind::kAbsent);
  EXPECT_EQ(ReadPushback({}, "").delay, absl::ZeroDuration());
}

TEST(PushbackTest, WaitsExactlyWhatTheTrailerSays) {
  for (int millis : {0, 1, 300, 2000, std::numeric_limits<int32_t>::max()}) {
    const Pushback said = FromTrailer(std::to_string(millis));
    EXPECT_EQ(said.kind, Kind::kWait) << millis;
    EXPECT_EQ(said.delay, absl::Milliseconds(millis));
  }
  EXPECT_EQ(FromTrailer("000000000000000300").delay, absl::Milliseconds(300));
}

TEST(PushbackTest, TakesEveryTrailerThatIsNoWholeNumberForANo) {
  for (absl::string_view value :
       {"-1", "-0", "abc", "5.5", "", " ", "+5", " 5", "5 ", "5\t", "0x5",
        "5e2", "1,000", "5ms", "2147483648", "9223372036854775808",
        "99999999999999999999999999999999999999"}) {
    EXPECT_EQ(FromTrailer(value).kind, Kind::kRefused) << value;
  }
  EXPECT_EQ(FromTrailer(absl::string_view("5\0", 2)).kind, Kind::kRefused);
}

TEST(PushbackTest, TakesSeveralTrailersForANo) {
  EXPECT_EQ(ReadPushback({"5", "5"}, "").kind, Kind::kRefused);
  EXPECT_EQ(ReadPushback({"5", "5", "5"}, RetryInfo(1, 0)).kind,
            Kind::kRefused);
}

TEST(PushbackTest, WaitsAtLeastWhatRetryInfoSays) {
  const Pushback said = FromDetails(RetryInfo(1, 500'000'000));
  EXPECT_EQ(said.kind, Kind::kAtLeast);
  EXPECT_EQ(said.delay, absl::Milliseconds(1500));
  EXPECT_EQ(FromDetails(RetryInfo(0, 1)).delay, absl::Nanoseconds(1));
}

// As google.rpc writes it: code 14, message "busy", and one Any of RetryInfo.
TEST(PushbackTest, ReadsTheBytesThatGoogleRpcWrites) {
  const std::string bytes(
      "\x08\x0e\x12\x04"
      "busy\x1a\x30\x0a\x28type.googleapis.com/google.rpc.RetryInfo\x12\x04"
      "\x0a\x02\x08\x05",
      58);
  EXPECT_EQ(FromDetails(bytes).kind, Kind::kAtLeast);
  EXPECT_EQ(FromDetails(bytes).delay, absl::Seconds(5));
}

TEST(PushbackTest, TakesZeroAndLessInRetryInfoForOurOwnBackoff) {
  EXPECT_EQ(FromDetails(RetryInfo(0, 0)).kind, Kind::kAbsent);
  EXPECT_EQ(FromDetails(RetryInfo(-5, 0)).kind, Kind::kAbsent);
  EXPECT_EQ(FromDetails(RetryInfo(0, -1)).kind, Kind::kAbsent);
  EXPECT_EQ(
      FromDetails(RetryInfo(std::numeric_limits<int64_t>::min(), -1)).kind,
      Kind::kAbsent);
}

TEST(PushbackTest, SaturatesAnAbsurdRetryInfo) {
  const Pushback said =
      FromDetails(RetryInfo(std::numeric_limits<int64_t>::max(),
                            std::numeric_limits<int32_t>::max()));
  EXPECT_EQ(said.kind, Kind::kAtLeast);
  EXPECT_EQ(said.delay, absl::InfiniteDuration());
}

TEST(PushbackTest, TakesTheLongestOfSeveralRetryInfos) {
  wire::Status status;
  AddRetryInfo(1, 0, &status);
  AddRetryInfo(3, 0, &status);
  AddRetryInfo(2, 0, &status);
  EXPECT_EQ(FromDetails(status.SerializeAsString()).delay, absl::Seconds(3));
}

TEST(PushbackTest, LooksPastDetailsOfOtherTypes) {
  wire::Status status;
  wire::Detail* other = status.add_details();
  other->set_type_url("type.googleapis.com/google.rpc.DebugInfo");
  other->set_value("\xff\xff");
  EXPECT_EQ(FromDetails(status.SerializeAsString()).kind, Kind::kAbsent);
  AddRetryInfo(2, 0, &status);
  EXPECT_EQ(FromDetails(status.SerializeAsString()).delay, absl::Seconds(2));
}

TEST(PushbackTest, IsNotFooledByATypeThatOnlyEndsAlike) {
  wire::Status status;
  AddRetryInfo(2, 0, &status);
  status.mutable_details(0)->set_type_url("a.com/not.google.rpc.RetryInfo");
  EXPECT_EQ(FromDetails(status.SerializeAsString()).kind, Kind::kAbsent);
}

TEST(PushbackTest, ReadsDetailsWhoseTextIsNotUtf8) {
  wire::Status status;
  status.set_message("\xff\xfe broken");
  wire::Detail* other = status.add_details();
  other->set_type_url("\xff");
  AddRetryInfo(2, 0, &status);
  EXPECT_EQ(FromDetails(status.SerializeAsString()).delay, absl::Seconds(2));
}

TEST(PushbackTest, LetsTheTrailerRuleOverTheDetails) {
  EXPECT_EQ(ReadPushback({"250"}, RetryInfo(9, 0)).kind, Kind::kWait);
  EXPECT_EQ(ReadPushback({"250"}, RetryInfo(9, 0)).delay,
            absl::Milliseconds(250));
  EXPECT_EQ(ReadPushback({"-1"}, RetryInfo(9, 0)).kind, Kind::kRefused);
}

TEST(PushbackTest, IgnoresBrokenDetails) {
  EXPECT_EQ(FromDetails("\xff\xff\xff").kind, Kind::kAbsent);
  EXPECT_EQ(FromDetails("\x1a\x7f").kind, Kind::kAbsent);
  wire::Status status;
  AddRetryInfo(2, 0, &status);
  status.mutable_details(0)->set_value("\x0a\x7f");
  EXPECT_EQ(FromDetails(status.SerializeAsString()).kind, Kind::kAbsent);
}

// Whatever a peer sends, the answer is a wait of zero or more.
TEST(PushbackTest, SurvivesRandomChangesToItsBytes) {
  SplitMix64 chance(1);
  const std::string whole = RetryInfo(3, 4);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole.substr(0, chance() % (whole.size() + 1));
    for (uint64_t n = chance() % 4; n > 0 && !bytes.empty(); --n) {
      bytes[chance() % bytes.size()] = static_cast<char>(chance());
    }
    const Pushback said = FromDetails(bytes);
    ASSERT_NE(said.kind, Kind::kWait);
    ASSERT_NE(said.kind, Kind::kRefused);
    ASSERT_EQ(said.kind == Kind::kAtLeast, said.delay > absl::ZeroDuration());
  }
}

}  // namespace
}  // namespace forbear
