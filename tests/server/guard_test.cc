#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <tuple>
#include <utility>

#include "absl/time/time.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/policy/pushback.h"
#include "interceptors/server/server_guard.h"
#include "tests/server/kinds_server.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::Combine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::Values;

constexpr absl::Duration kMinute = absl::Minutes(1);

ServerOptions InMode(Mode mode) {
  ServerOptions options;
  options.mode = mode;
  return options;
}

// Refuses every call that has a deadline.
ServerOptions AllDoomed(Mode mode) {
  ServerOptions options = InMode(mode);
  options.minimum_time_left = absl::Hours(1);
  return options;
}

// Each test runs for sync and callback handlers, and for each kind of call.
class GuardTest : public ::testing::TestWithParam<std::tuple<Style, Kind>> {
 protected:
  ~GuardTest() override {
    Await([] { return InFlight::Total() == 0; });
  }

  Style style() const { return std::get<0>(GetParam()); }
  Kind kind() const { return std::get<1>(GetParam()); }
};

// A call can expire before the server has seen it, and is then none of the
// guard's. So calls are made, each with more time, until one was held.
TEST_P(GuardTest, DoesNotEnterAHandlerWhoseDeadlineHasPassed) {
  KindsServer server(style(), ServerOptions(), HoldUntilExpired());
  absl::Duration timeout = absl::Milliseconds(20);
  while (server.recorder().refused().empty()) {
    EXPECT_EQ(server.Call(kind(), timeout).status.error_code(),
              grpc::StatusCode::DEADLINE_EXCEEDED);
    timeout *= 2;
  }
  server.server().Shutdown();

  EXPECT_EQ(server.script().entered, 0);
  EXPECT_THAT(server.recorder().entered(), IsEmpty());
  EXPECT_THAT(server.recorder().ended(), IsEmpty());
  for (const auto& refused : server.recorder().refused()) {
    EXPECT_EQ(refused.method, MethodOf(kind()));
    EXPECT_EQ(refused.reason, Observer::RefusalReason::kExpired);
    EXPECT_LE(refused.time_left, absl::ZeroDuration());
    EXPECT_TRUE(refused.enforced);
  }
}

TEST_P(GuardTest, TellsTheCallerOfADoomedCallThatItWasNotApplied) {
  KindsServer server(style(), AllDoomed(Mode::kEnforce));
  const Reply reply = server.Call(kind(), kMinute);

  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(reply.status.error_message(),
              HasSubstr("this server starts no handler with less than 1h; it "
                        "was not run"));
  EXPECT_THAT(reply.Trailers(kNotAppliedKey), ElementsAre(kNotAppliedValue));
  EXPECT_EQ(server.script().entered, 0);
  ASSERT_THAT(server.recorder().refused(), SizeIs(1));
  EXPECT_EQ(server.recorder().refused()[0].reason,
            Observer::RefusalReason::kDoomed);
  EXPECT_THAT(server.recorder().entered(), IsEmpty());
}

TEST_P(GuardTest, CountsADoomedCallAndRunsItsHandlerWhenObserving) {
  KindsServer server(style(), AllDoomed(Mode::kObserve));
  const Reply reply = server.Call(kind(), kMinute);

  EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
  EXPECT_THAT(reply.Trailers(kNotAppliedKey), IsEmpty());
  EXPECT_EQ(server.script().entered, 1);
  server.recorder().AwaitEnded(1);
  ASSERT_THAT(server.recorder().refused(), SizeIs(1));
  EXPECT_FALSE(server.recorder().refused()[0].enforced);
  EXPECT_THAT(server.recorder().entered(), SizeIs(1));
}

TEST_P(GuardTest, LeavesNoTraceWhenOff) {
  KindsServer server(style(), AllDoomed(Mode::kOff));
  server.script().run = [](grpc::ServerContextBase* context) {
    EXPECT_EQ(CallScope::Current(), nullptr);
    context->AddTrailingMetadata(std::string(kNotAppliedKey), "mine");
    return grpc::Status::OK;
  };
  const Reply reply = server.Call(kind(), kMinute);

  EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
  EXPECT_THAT(reply.Trailers(kNotAppliedKey), ElementsAre("mine"));
  EXPECT_EQ(server.script().entered, 1);
  EXPECT_THAT(server.recorder().refused(), IsEmpty());
  EXPECT_THAT(server.recorder().entered(), IsEmpty());
  EXPECT_THAT(server.recorder().ended(), IsEmpty());
}

TEST_P(GuardTest, TellsTheTimeLeftInsideTheHandler) {
  KindsServer server(style(), ServerOptions());
  absl::Duration left;
  server.script().run = [&left](grpc::ServerContextBase*) {
    left = CallScope::Current()->TimeLeft();
    return grpc::Status::OK;
  };
  EXPECT_TRUE(server.Call(kind(), kMinute).status.ok());
  server.recorder().AwaitEnded(1);

  const absl::Duration at_entry = server.recorder().entered().at(0);
  EXPECT_GT(left, absl::ZeroDuration());
  EXPECT_LT(left, at_entry);
  // gRPC rounds the deadline on the wire up, by 1 % at most.
  EXPECT_LE(at_entry, kMinute * 1.01);
}

TEST_P(GuardTest, GivesACallWithoutADeadlineInfiniteTime) {
  KindsServer server(style(), AllDoomed(Mode::kEnforce));
  absl::Duration left;
  server.script().run = [&left](grpc::ServerContextBase*) {
    left = CallScope::Current()->TimeLeft();
    return grpc::Status::OK;
  };
  EXPECT_TRUE(server.Call(kind(), absl::InfiniteDuration()).status.ok());
  server.recorder().AwaitEnded(1);

  EXPECT_EQ(left, absl::InfiniteDuration());
  EXPECT_THAT(server.recorder().entered(),
              ElementsAre(absl::InfiniteDuration()));
}

TEST_P(GuardTest, ServesCallsWithAbsurdlyFarDeadlines) {
  KindsServer server(style(), ServerOptions());
  for (const auto& timeout :
       {absl::Hours(24 * 365), absl::Hours(24 * 365 * 200),
        absl::Hours(24 * 365 * 10000)}) {
    EXPECT_TRUE(server.Call(kind(), timeout).status.ok());
  }
  server.recorder().AwaitEnded(3);
  for (const absl::Duration left : server.recorder().entered()) {
    EXPECT_GT(left, absl::Hours(24 * 300));
  }
}

TEST_P(GuardTest, EndsTheScopeThatAHandlerKept) {
  KindsServer server(style(), ServerOptions());
  std::shared_ptr<CallScope> kept;
  bool alive_inside = false;
  bool cancelled_inside = true;
  server.script().run = [&](grpc::ServerContextBase* context) {
    kept = CallScope::Current();
    cancelled_inside = kept->Cancelled();
    kept->WithParent(
        [&](grpc_call* parent) { alive_inside = parent == context->c_call(); });
    return grpc::Status::OK;
  };
  EXPECT_TRUE(server.Call(kind(), kMinute).status.ok());
  server.recorder().AwaitEnded(1);
  server.server().Shutdown();

  EXPECT_TRUE(alive_inside);
  EXPECT_FALSE(cancelled_inside);
  EXPECT_TRUE(kept->Cancelled());
  EXPECT_FALSE(kept->WithParent([](grpc_call*) { FAIL() << "it has ended"; }));
  EXPECT_GT(kept->TimeLeft(), absl::ZeroDuration());
  EXPECT_EQ(InFlight::Count(InFlight::kHandler), 0);
  EXPECT_EQ(InFlight::Count(InFlight::kScope), 1);
}

TEST_P(GuardTest, LeavesTheScopeBehindWhenDetached) {
  KindsServer server(style(), ServerOptions());
  server.script().run = [](grpc::ServerContextBase*) {
    {
      const CallScope::Detach out;
      EXPECT_EQ(CallScope::Current(), nullptr);
    }
    EXPECT_NE(CallScope::Current(), nullptr);
    return grpc::Status::OK;
  };
  EXPECT_TRUE(server.Call(kind(), kMinute).status.ok());
  EXPECT_EQ(server.script().entered, 1);
}

TEST_P(GuardTest, ReportsTheCodeOfEveryAnswerOnce) {
  KindsServer server(style(), ServerOptions());
  server.script().run = [](grpc::ServerContextBase*) {
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such route");
  };
  const Reply reply = server.Call(kind(), kMinute);
  server.server().Shutdown();

  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(reply.status.error_message(), "no such route");
  ASSERT_THAT(server.recorder().ended(), SizeIs(1));
  const Recorder::Ended ended = server.recorder().ended()[0];
  EXPECT_EQ(ended.method, MethodOf(kind()));
  EXPECT_EQ(ended.code, absl::StatusCode::kNotFound);
  EXPECT_GE(ended.latency, absl::ZeroDuration());
  EXPECT_FALSE(ended.told_not_to_retry);
}

// gRPC's own sync and callback handlers answer differently; that is theirs.
TEST_P(GuardTest, EndsACallWhoseHandlerThrows) {
  KindsServer server(style(), ServerOptions());
  server.script().run = [](grpc::ServerContextBase*) -> grpc::Status {
    throw std::runtime_error("broken");
  };
  EXPECT_EQ(server.Call(kind(), kMinute).status.error_code(),
            style() == Style::kSync ? grpc::StatusCode::UNKNOWN
                                    : grpc::StatusCode::UNIMPLEMENTED);
  server.server().Shutdown();
  EXPECT_THAT(server.recorder().ended(), SizeIs(1));
}

// --- The server's own deadlines ---

TEST_P(GuardTest, EndsACallThatTakesLongerThanItsServerAllows) {
  struct Case {
    absl::Duration default_deadline, max_deadline, timeout;
  };
  const Case cases[] = {
      {absl::Milliseconds(20), absl::InfiniteDuration(),
       absl::InfiniteDuration()},
      {absl::InfiniteDuration(), absl::Milliseconds(20), kMinute},
      {absl::Hours(1), absl::Milliseconds(20), absl::InfiniteDuration()},
  };
  for (const Case& c : cases) {
    ServerOptions options;
    options.default_deadline = c.default_deadline;
    options.max_deadline = c.max_deadline;
    KindsServer server(style(), options);
    server.script().until_cancelled = true;
    const Reply reply = server.Call(kind(), c.timeout);
    EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    server.recorder().AwaitEnded(1);
    EXPECT_LE(server.recorder().entered()[0], c.timeout * 1.01);
  }
}

TEST_P(GuardTest, SaysHowLongItLetsACallTake) {
  ServerOptions options;
  options.max_deadline = absl::Milliseconds(20);
  KindsServer server(style(), options);
  // Until gRPC, not the scope, says so: the answer is on its way then.
  server.script().run = [](grpc::ServerContextBase* context) {
    Await([context] { return context->IsCancelled(); });
    return grpc::Status::OK;
  };
  const Reply reply = server.Call(kind(), kMinute);
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(reply.status.error_message(),
            "this server lets the call take 20ms and no longer");
  EXPECT_THAT(reply.Trailers(kNotAppliedKey), IsEmpty());
  server.recorder().AwaitEnded(1);
  const Recorder::Ended ended = server.recorder().ended()[0];
  EXPECT_EQ(ended.code, absl::StatusCode::kDeadlineExceeded);
  EXPECT_GT(ended.past_deadline, absl::ZeroDuration());
  EXPECT_LE(ended.past_deadline, ended.latency - absl::Milliseconds(20));
}

TEST_P(GuardTest, LeavesCallsThatEndInTimeAlone) {
  ServerOptions options;
  options.default_deadline = absl::Minutes(1);
  options.max_deadline = absl::Minutes(1);
  KindsServer server(style(), options);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(server.Call(kind(), absl::InfiniteDuration()).status.ok());
  }
  server.recorder().AwaitEnded(20);
  EXPECT_EQ(server.recorder().ended()[0].past_deadline, absl::ZeroDuration());
}

TEST_P(GuardTest, ObservingLeavesDeadlinesToTheCaller) {
  ServerOptions options = InMode(Mode::kObserve);
  options.default_deadline = absl::Milliseconds(1);
  KindsServer server(style(), options);
  absl::Duration left;
  server.script().run = [&left](grpc::ServerContextBase*) {
    left = CallScope::Current()->TimeLeft();
    return grpc::Status::OK;
  };
  EXPECT_TRUE(server.Call(kind(), absl::InfiniteDuration()).status.ok());
  server.recorder().AwaitEnded(1);
  EXPECT_EQ(left, absl::InfiniteDuration());
}

// --- One retrying layer ---

TEST_P(GuardTest, TellsTheCallerNotToRetryWhatWasGivenUpBelow) {
  KindsServer server(style(), ServerOptions());
  server.script().run = [](grpc::ServerContextBase*) {
    CallScope::Current()->NoteGaveUp(absl::StatusCode::kUnavailable);
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "routes is down");
  };
  EXPECT_THAT(server.Call(kind(), kMinute).Trailers(kPushbackKey),
              ElementsAre("-1"));
  server.recorder().AwaitEnded(1);
  EXPECT_TRUE(server.recorder().ended()[0].told_not_to_retry);
}

TEST_P(GuardTest, SaysNothingOfRetryingWhenNothingWasGivenUpForThisReason) {
  struct Case {
    const char* name;
    Mode mode;
    absl::StatusCode gave_up;
    grpc::StatusCode answer;
  };
  const Case cases[] = {
      {"nothing given up", Mode::kEnforce, absl::StatusCode::kOk,
       grpc::StatusCode::UNAVAILABLE},
      {"fails for another reason", Mode::kEnforce,
       absl::StatusCode::kUnavailable, grpc::StatusCode::INTERNAL},
      {"fell back and succeeded", Mode::kEnforce,
       absl::StatusCode::kUnavailable, grpc::StatusCode::OK},
      {"observes", Mode::kObserve, absl::StatusCode::kUnavailable,
       grpc::StatusCode::UNAVAILABLE},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    KindsServer server(style(), InMode(c.mode));
    server.script().run = [&c](grpc::ServerContextBase*) {
      if (c.gave_up != absl::StatusCode::kOk) {
        CallScope::Current()->NoteGaveUp(c.gave_up);
      }
      return grpc::Status(c.answer, "");
    };
    const Reply reply = server.Call(kind(), kMinute);
    EXPECT_EQ(reply.status.error_code(), c.answer);
    EXPECT_THAT(reply.Trailers(kPushbackKey), IsEmpty());
    server.recorder().AwaitEnded(1);
    EXPECT_FALSE(server.recorder().ended()[0].told_not_to_retry);
  }
}

TEST_P(GuardTest, LetsTheHandlersOwnPushbackStand) {
  KindsServer server(style(), ServerOptions());
  server.script().run = [](grpc::ServerContextBase* context) {
    context->AddTrailingMetadata(std::string(kPushbackKey), "250");
    CallScope::Current()->NoteGaveUp(absl::StatusCode::kUnavailable);
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "come back");
  };
  EXPECT_THAT(server.Call(kind(), kMinute).Trailers(kPushbackKey),
              ElementsAre("250"));
}

TEST_P(GuardTest, TakesTheProofOfNotAppliedFromAHandlerThatRan) {
  for (const Mode mode : {Mode::kObserve, Mode::kEnforce}) {
    for (const auto code :
         {grpc::StatusCode::OK, grpc::StatusCode::UNAVAILABLE}) {
      KindsServer server(style(), InMode(mode));
      server.script().run = [code](grpc::ServerContextBase* context) {
        context->AddTrailingMetadata(std::string(kNotAppliedKey), "1");
        context->AddTrailingMetadata(std::string(kNotAppliedKey), "2");
        context->AddTrailingMetadata("other", "stays");
        return grpc::Status(code, "");
      };
      const Reply reply = server.Call(kind(), kMinute);
      EXPECT_EQ(reply.status.error_code(), code);
      EXPECT_THAT(reply.Trailers(kNotAppliedKey), IsEmpty());
      EXPECT_THAT(reply.Trailers("other"), ElementsAre("stays"));
    }
  }
}

// --- Idempotency keys from peers ---

TEST_P(GuardTest, DerivesKeysFromTheOneThatTheCallBrought) {
  const auto derived_from = [&](const std::vector<std::string>& keys) {
    KindsServer server(style(), ServerOptions());
    std::string derived;
    server.script().run = [&derived](grpc::ServerContextBase*) {
      derived = CallScope::Current()->DeriveKey("/shop.Stock/Take", "");
      return grpc::Status::OK;
    };
    grpc::ClientContext context;
    for (const auto& key : keys) {
      context.AddMetadata(std::string(kIdempotencyKey), key);
    }
    const Reply reply = server.Call(kind(), &context);
    EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
    server.recorder().AwaitEnded(1);
    return derived;
  };
  EXPECT_EQ(derived_from({"c1f9"}), "c1f9/shop.Stock/Take/#1");
  EXPECT_EQ(derived_from({}), "");
  // Which one of two holds, nobody knows.
  EXPECT_EQ(derived_from({"c1f9", "c1f9"}), "");
  const std::string from_long = derived_from({std::string(10 * 1024, 'k')});
  EXPECT_NE(from_long, "");
  EXPECT_LT(from_long.size(), 256u);
}

// --- Options that are no good ---

TEST_P(GuardTest, AnswersInternalNamingTheOptionThatIsOutOfRange) {
  ServerOptions options;
  options.minimum_time_left = -absl::Seconds(1);
  KindsServer server(style(), options);
  const Reply reply = server.Call(kind(), kMinute);

  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_EQ(reply.status.error_message(),
            "ServerOptions.minimum_time_left: -1s is out of range [0, 1h]");
  EXPECT_THAT(reply.Trailers(kNotAppliedKey), ElementsAre(kNotAppliedValue));
  EXPECT_EQ(server.guard().status().message(), reply.status.error_message());
  EXPECT_EQ(server.script().entered, 0);
}

INSTANTIATE_TEST_SUITE_P(
    AllKinds, GuardTest,
    Combine(Values(Style::kSync, Style::kCallback),
            Values(Kind::kUnary, Kind::kUpload, Kind::kDownload, Kind::kChat)),
    [](const ::testing::TestParamInfo<GuardTest::ParamType>& info) {
      return NameOf(std::get<0>(info.param)) + NameOf(std::get<1>(info.param));
    });

}  // namespace
}  // namespace testing
}  // namespace forbear
