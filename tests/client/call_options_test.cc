// What one call may want otherwise, in every stub style.
#include "interceptors/client/call_options.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

const std::string& Key() {
  static const auto* const key = new std::string(kIdempotencyKey);
  return *key;
}

class CallOptionsTest : public StylesTest {
 protected:
  CallOptionsTest() {
    server_.Script(
        {Answer::Fails(grpc::StatusCode::UNAVAILABLE, "restarting")});
  }

  grpc::Status CallWith(const CallOptions& options,
                        ProbeMethod method = ProbeMethod::kRead) {
    CallOptions::For with(&context_, options);
    return CallOnce(server_.address(), method);
  }

  std::vector<std::vector<std::string>> KeysSeen() const {
    std::vector<std::vector<std::string>> keys;
    for (const Arrival& arrival : server_.arrivals()) {
      keys.push_back(arrival.Values(Key()));
    }
    return keys;
  }

  ScriptedServer server_;
};

INSTANTIATE_TEST_SUITE_P(Styles, CallOptionsTest, AllStyles(), StyleAndPath);

TEST_P(CallOptionsTest, MayAskForNoRetries) {
  CallOptions options;
  options.max_attempts = 1;
  EXPECT_THAT(CallWith(options).error_message(), HasSubstr("1 attempt in "));
  EXPECT_THAT(server_.arrivals(), SizeIs(1));
}

TEST_P(CallOptionsTest, MayAskForMoreAttemptsThanThePolicy) {
  CallOptions options;
  options.max_attempts = 6;
  EXPECT_FALSE(CallWith(options).ok());
  EXPECT_THAT(server_.arrivals(), SizeIs(6));
}

TEST_P(CallOptionsTest, MayAskForAnAttemptTimeout) {
  MethodPolicy policy = Eager();
  policy.connect_allowance = absl::Milliseconds(500);
  options_.policy = policy;
  CallOptions options;
  options.max_attempts = MethodPolicy::kUnlimitedAttempts;
  options.attempt_timeout = absl::Milliseconds(50);
  server_.Script({Answer::Hangs(), Answer::Succeeds(ReplyOf("hi"))});
  EXPECT_TRUE(CallWith(options).ok());
  for (const Arrival& arrival : server_.arrivals()) {
    EXPECT_THAT(arrival.time_left, Le(absl::Seconds(5)));
  }
}

TEST_P(CallOptionsTest, SendTheirKeyInsteadOfAnyOther) {
  MethodPolicy policy = Eager();
  policy.server_honours_keys = true;
  options_.policy = policy;
  context_.AddMetadata(Key(), "of-the-context");
  CallOptions options;
  options.idempotency_key = "order-17";
  EXPECT_FALSE(CallWith(options, ProbeMethod::kCharge).ok());
  EXPECT_THAT(KeysSeen(), Each(ElementsAre("order-17")));
  EXPECT_THAT(server_.arrivals(), SizeIs(4));  // The server honours keys.
}

TEST_P(CallOptionsTest, SendTheirKeyWhateverTheModeAndRepeatNothingForIt) {
  if (kPublicApiOnly) GTEST_SKIP() << "it does not see calls of mode off";
  for (const Mode mode : {Mode::kOff, Mode::kObserve, Mode::kEnforce}) {
    MethodPolicy policy = Eager();
    policy.mode = mode;
    options_.policy = policy;
    CallOptions options;
    options.idempotency_key = "order-17";
    const size_t before = server_.arrivals().size();
    grpc::ClientContext context;
    CallOptions::For with(&context, options);
    EXPECT_FALSE(
        Call(*Stub(server_.address()), style(), ProbeMethod::kCharge, &context)
            .status.ok());
    EXPECT_THAT(server_.arrivals(), SizeIs(before + 1));
  }
  EXPECT_THAT(KeysSeen(), Each(ElementsAre("order-17")));
}

TEST_P(CallOptionsTest, TellCallsInAHandlerApartByTheirTags) {
  MethodPolicy policy = Eager();
  policy.server_honours_keys = true;
  policy.max_attempts = 1;
  options_.policy = policy;
  const auto stub = Stub(server_.address());
  for (const std::vector<std::string>& order :
       {std::vector<std::string>{"outward", "return"}, {"return", "outward"}}) {
    CallScope::Inbound inbound;
    inbound.idempotency_key = "journey-3";
    CallScope::Enter in(std::make_shared<CallScope>(inbound));
    for (const std::string& tag : order) {
      CallOptions options;
      options.tag = tag;
      grpc::ClientContext context;
      CallOptions::For with(&context, options);
      Call(*stub, style(), ProbeMethod::kCharge, &context);
    }
  }
  const auto keys = KeysSeen();
  ASSERT_THAT(keys, SizeIs(4));
  EXPECT_EQ(keys[0], keys[3]);
  EXPECT_EQ(keys[1], keys[2]);
  EXPECT_NE(keys[0], keys[1]);
}

TEST_P(CallOptionsTest, HoldForTheirContextAloneAndTheInnerOnesFirst) {
  CallOptions one;
  one.max_attempts = 1;
  CallOptions two;
  two.max_attempts = 2;
  const auto stub = Stub(server_.address());
  const auto attempts = [&](grpc::ClientContext* context) {
    const size_t before = server_.arrivals().size();
    Call(*stub, style(), ProbeMethod::kRead, context);
    return server_.arrivals().size() - before;
  };
  grpc::ClientContext first, second, other, late;
  CallOptions::For outer(&second, one);
  {
    CallOptions::For of_first(&first, one);
    CallOptions::For inner(&second, two);
    CallOptions::For gone(&late, one);
    EXPECT_EQ(attempts(&second), 2);
    EXPECT_EQ(attempts(&first), 1);
    EXPECT_EQ(attempts(&other), 4);
  }
  EXPECT_EQ(attempts(&late), 4);
}

TEST_P(CallOptionsTest, OfAnotherThreadAreNotHeard) {
  CallOptions options;
  options.max_attempts = 1;
  CallOptions::For with(&context_, options);
  std::thread([this] {
    EXPECT_FALSE(CallOnce(server_.address(), ProbeMethod::kRead).ok());
  }).join();
  EXPECT_THAT(server_.arrivals(), SizeIs(4));
}

TEST_P(CallOptionsTest, OutOfRangeFailTheCallAndNameTheField) {
  CallOptions attempts;
  attempts.max_attempts = 0;
  CallOptions timeout;
  timeout.attempt_timeout = absl::ZeroDuration();
  CallOptions key;
  key.idempotency_key = "order\n17";
  const std::pair<CallOptions, std::string> cases[] = {
      {attempts, "CallOptions: max_attempts: 0 is out of range [1, unlimited]"},
      {timeout, "CallOptions: attempt_timeout: 0 is out of range [1ms, inf]"},
      {key, "CallOptions: idempotency_key: byte 5 is 10; keys are printable"},
  };
  const auto stub = Stub(server_.address());
  for (const auto& [options, message] : cases) {
    grpc::ClientContext context;
    CallOptions::For with(&context, options);
    const grpc::Status status =
        Call(*stub, style(), ProbeMethod::kRead, &context).status;
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), HasSubstr(message));
  }
  EXPECT_THAT(server_.arrivals(), IsEmpty());
}

TEST(CallOptionsChangeTest, HedgeNoMoreThanTheyAttempt) {
  MethodPolicy policy;
  policy.hedging.max_attempts = 3;
  CallOptions options;
  EXPECT_EQ(options.Change(policy).hedging.max_attempts, 3);
  options.max_attempts = 2;
  EXPECT_EQ(options.Change(policy).hedging.max_attempts, 2);
  EXPECT_EQ(options.Change(policy).max_attempts, 2);
  options.hedge = false;
  EXPECT_EQ(options.Change(policy).hedging.max_attempts, 1);
  EXPECT_EQ(options.Change(policy).max_attempts, 2);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
