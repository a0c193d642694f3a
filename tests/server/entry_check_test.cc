#include "interceptors/server/entry_check.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"
#include "interceptors/server/server_options.h"

namespace forbear {
namespace {

using Reason = Observer::RefusalReason;

constexpr absl::Duration kNone = absl::ZeroDuration();

TEST(EntryCheckTest, FindsACallExpiredFromTheInstantOfItsDeadlineOn) {
  EXPECT_EQ(CheckEntry(absl::Nanoseconds(1), kNone), absl::nullopt);
  EXPECT_EQ(CheckEntry(absl::ZeroDuration(), kNone), Reason::kExpired);
  EXPECT_EQ(CheckEntry(-absl::Nanoseconds(1), kNone), Reason::kExpired);
  EXPECT_EQ(CheckEntry(-absl::InfiniteDuration(), kNone), Reason::kExpired);
}

TEST(EntryCheckTest, FindsACallDoomedThatHasLessThanTheMinimum) {
  const absl::Duration minimum = absl::Milliseconds(5);
  EXPECT_EQ(CheckEntry(minimum, minimum), absl::nullopt);
  EXPECT_EQ(CheckEntry(minimum - absl::Nanoseconds(1), minimum),
            Reason::kDoomed);
  EXPECT_EQ(CheckEntry(absl::ZeroDuration(), minimum), Reason::kExpired);
}

TEST(EntryCheckTest, LetsACallWithoutADeadlineIn) {
  EXPECT_EQ(CheckEntry(absl::InfiniteDuration(), absl::Hours(1)),
            absl::nullopt);
}

TEST(EntryCheckTest, SaysWhyInWords) {
  EXPECT_EQ(RefusalMessage(Reason::kExpired, -absl::Microseconds(1500), kNone),
            "the deadline passed 1.5ms before the handler was to start; it was "
            "not run");
  EXPECT_EQ(RefusalMessage(Reason::kDoomed, absl::Nanoseconds(2000001),
                           absl::Milliseconds(5)),
            "only 2ms left, and this server starts no handler with less than "
            "5ms; it was not run");
}

TEST(ServerOptionsTest, HasDefaultsThatRefuseExpiredCallsOnly) {
  const ServerOptions options;
  EXPECT_EQ(options.Validate(), absl::OkStatus());
  EXPECT_EQ(options.mode, Mode::kEnforce);
  EXPECT_EQ(options.minimum_time_left, absl::ZeroDuration());
}

TEST(ServerOptionsTest, NamesTheFieldTheValueAndTheRange) {
  ServerOptions options;
  options.minimum_time_left = absl::Hours(1);
  EXPECT_EQ(options.Validate(), absl::OkStatus());
  options.minimum_time_left = absl::Hours(2);
  EXPECT_EQ(options.Validate().message(),
            "ServerOptions.minimum_time_left: 2h is out of range [0, 1h]");
  options.minimum_time_left = -absl::InfiniteDuration();
  EXPECT_EQ(options.Validate().message(),
            "ServerOptions.minimum_time_left: -inf is out of range [0, 1h]");

  options = ServerOptions();
  options.mode = static_cast<Mode>(7);
  EXPECT_EQ(options.Validate().message(),
            "ServerOptions.mode: 7 is out of range [0, 2]");
}

TEST(ServerOptionsTest, NamesTheLimitThatIsOutOfRange) {
  ServerOptions options;
  options.max_concurrent_calls = -1;
  EXPECT_EQ(options.Validate().message(),
            "ServerOptions.max_concurrent_calls: -1 is out of range "
            "[0, 1000000]");
  options = ServerOptions();
  options.max_concurrent_calls = 8;
  options.least_concurrent_calls = 9;
  EXPECT_EQ(options.Validate().message(),
            "ServerOptions.least_concurrent_calls: 9 is out of range [0, 8], "
            "up to max_concurrent_calls");
  options = ServerOptions();
  options.methods["shop.Routes/Estimate"].max_concurrent_calls = -5;
  EXPECT_EQ(options.Validate().message(),
            "ServerOptions.methods[\"shop.Routes/Estimate\"]."
            "max_concurrent_calls: -5 is out of range [0, 1000000]");
  options = ServerOptions();
  options.default_deadline = absl::ZeroDuration();
  EXPECT_EQ(options.Validate().message(),
            "ServerOptions.default_deadline: 0 is out of range [1ms, inf]");
  options = ServerOptions();
  options.max_deadline = -absl::Seconds(1);
  EXPECT_EQ(options.Validate().message(),
            "ServerOptions.max_deadline: -1s is out of range [1ms, inf]");
  options = ServerOptions();
  options.queue.target = absl::ZeroDuration();
  EXPECT_EQ(options.Validate().message(),
            "ServerOptions.queue.target: 0 is out of range [1ms, 10s]");
}

TEST(ServerOptionsTest, TakesMethodsByTheirNamesAlone) {
  for (const char* name : {"", "/shop.Routes/Estimate", "Estimate", "a/b/c"}) {
    ServerOptions options;
    options.methods[name].max_concurrent_calls = 1;
    EXPECT_EQ(options.Validate().message(),
              std::string("ServerOptions.methods[\"") + name +
                  "\"]: a name is \"package.Service/Method\"");
  }
}

}  // namespace
}  // namespace forbear
