// Calls that come again with the same idempotency key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/in_flight.h"
#include "interceptors/context/metadata_keys.h"
#include "interceptors/reply_cache/reply_cache.h"
#include "interceptors/server/server_guard.h"
#include "tests/server/kinds_server.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::Combine;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Values;

// For sync and callback handlers, without a limit and with one.
class RepliesTest : public ::testing::TestWithParam<std::tuple<Style, int>> {
 protected:
  RepliesTest() {
    options_.reply_cache = cache_;
    options_.max_concurrent_calls = std::get<1>(GetParam());
  }
  ~RepliesTest() override {
    server_.reset();
    Await([] { return InFlight::Total() == 0; });
  }

  Style style() const { return std::get<0>(GetParam()); }
  void Serve() { server_ = std::make_unique<KindsServer>(style(), options_); }

  struct Answer {
    Reply reply;
    Note response;
  };
  // A unary call with these keys.
  Answer Call(const std::vector<std::string>& keys,
              const std::string& text = "hello",
              absl::Duration timeout = absl::Minutes(1)) {
    grpc::ClientContext context;
    for (const auto& key : keys) {
      context.AddMetadata(std::string(kIdempotencyKey), key);
    }
    const timespec span = absl::ToTimespec(timeout);
    context.set_deadline(gpr_timespec{
        span.tv_sec, static_cast<int32_t>(span.tv_nsec), GPR_TIMESPAN});
    Note note;
    note.set_text(text);
    Answer answer;
    answer.reply.status =
        server_->stub().Unary(&context, note, &answer.response);
    for (const auto& [key, value] : context.GetServerTrailingMetadata()) {
      answer.reply.trailers.emplace(std::string(key.data(), key.size()),
                                    std::string(value.data(), value.size()));
    }
    return answer;
  }

  ServerOptions options_;
  std::shared_ptr<ReplyCache> cache_ = std::make_shared<ReplyCache>();
  std::unique_ptr<KindsServer> server_;
};

INSTANTIATE_TEST_SUITE_P(
    Styles, RepliesTest,
    Combine(Values(Style::kSync, Style::kCallback), Values(0, 2)),
    [](const ::testing::TestParamInfo<RepliesTest::ParamType>& info) {
      return NameOf(std::get<0>(info.param)) +
             (std::get<1>(info.param) == 0 ? "Unlimited" : "Limited");
    });

TEST_P(RepliesTest, ARepeatIsGivenTheFirstAnswer) {
  Serve();
  server_->script().run = [](grpc::ServerContextBase* context) {
    context->AddTrailingMetadata("receipt", "17");
    return grpc::Status::OK;
  };
  server_->script().answer = "first";
  const Answer first = Call({"k"});
  server_->script().answer = "second";
  const Answer again = Call({"k"});
  for (const Answer* answer : {&first, &again}) {
    EXPECT_TRUE(answer->reply.status.ok());
    EXPECT_EQ(answer->response.text(), "first");
    EXPECT_THAT(answer->reply.Trailers("receipt"), ElementsAre("17"));
  }
  EXPECT_EQ(server_->script().entered, 1);
  EXPECT_EQ(cache_->replays(), 1);
  EXPECT_EQ(server_->recorder().replays(), 1);
}

TEST_P(RepliesTest, ARepeatIsGivenTheFirstFailureToo) {
  Serve();
  server_->script().run = [](grpc::ServerContextBase*) {
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such route", "why");
  };
  Call({"k"});
  const Answer again = Call({"k"});
  EXPECT_EQ(again.reply.status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(again.reply.status.error_message(), "no such route");
  EXPECT_EQ(again.reply.status.error_details(), "why");
  EXPECT_THAT(again.reply.Trailers(kNotAppliedKey), IsEmpty());
  EXPECT_EQ(server_->script().entered, 1);
}

TEST_P(RepliesTest, CallsWithoutAKeyAndWithOtherKeysRun) {
  Serve();
  for (const std::vector<std::string>& keys :
       std::vector<std::vector<std::string>>{{}, {}, {"a"}, {"b"}}) {
    EXPECT_TRUE(Call(keys).reply.status.ok());
  }
  EXPECT_EQ(server_->script().entered, 4);
  EXPECT_EQ(cache_->replays(), 0);
}

TEST_P(RepliesTest, ARepeatWaitsWhileTheFirstRunsAndTakesNoRoom) {
  Serve();
  std::atomic<bool> open{false};
  server_->script().run = [&open](grpc::ServerContextBase*) {
    Await([&open] { return open.load(); });
    return grpc::Status::OK;
  };
  std::vector<std::thread> calls;
  const auto call = [this] { EXPECT_TRUE(Call({"k"}).reply.status.ok()); };
  calls.emplace_back(call);
  Await([this] { return server_->script().entered == 1; });
  for (int i = 0; i < 5; ++i) calls.emplace_back(call);
  Await([this] { return cache_->waiting() == 5; });
  EXPECT_EQ(server_->guard().waiting(), 0);
  open = true;
  for (auto& thread : calls) thread.join();
  EXPECT_EQ(server_->script().entered, 1);
  EXPECT_EQ(cache_->replays(), 5);
}

TEST_P(RepliesTest, ARepeatWaitsWithinItsOwnDeadline) {
  Serve();
  std::atomic<bool> open{false};
  server_->script().run = [&open](grpc::ServerContextBase*) {
    Await([&open] { return open.load(); });
    return grpc::Status::OK;
  };
  std::thread first([this] { Call({"k"}); });
  Await([this] { return server_->script().entered == 1; });
  const Answer late = Call({"k"}, "hello", absl::Milliseconds(50));
  EXPECT_EQ(late.reply.status.error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(late.reply.Trailers(kNotAppliedKey), IsEmpty());
  Await([this] { return cache_->waiting() == 0; });
  open = true;
  first.join();
}

TEST_P(RepliesTest, AnotherRequestUnderTheSameKeyIsRefused) {
  Serve();
  Call({"k"}, "book");
  const Answer other = Call({"k"}, "lamp");
  EXPECT_EQ(other.reply.status.error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(other.reply.status.error_message(),
            "its idempotency-key came with another request before; it was not "
            "run");
  EXPECT_THAT(other.reply.Trailers(kNotAppliedKey),
              ElementsAre(kNotAppliedValue));
  EXPECT_EQ(server_->script().entered, 1);
}

TEST_P(RepliesTest, WhatWasNotAppliedIsNotKept) {
  Serve();
  server_->script().run = [](grpc::ServerContextBase*) {
    CallScope::Current()->NoteNotApplied();
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "not yet");
  };
  EXPECT_FALSE(Call({"k"}).reply.status.ok());
  server_->script().run = nullptr;
  EXPECT_TRUE(Call({"k"}).reply.status.ok());
  EXPECT_EQ(server_->script().entered, 2);
}

TEST_P(RepliesTest, WhatTheGuardRefusedIsNotKept) {
  options_.minimum_time_left = absl::Minutes(2);
  Serve();
  EXPECT_EQ(Call({"k"}).reply.status.error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(Call({"k"}, "hello", absl::Minutes(5)).reply.status.ok());
  EXPECT_EQ(server_->script().entered, 1);
}

TEST_P(RepliesTest, AKeyBelongsToItsCaller) {
  std::atomic<int> callers{0};
  options_.caller_of = [&callers](const Peer&) {
    return std::to_string(++callers);
  };
  Serve();
  EXPECT_TRUE(Call({"k"}, "book").reply.status.ok());
  EXPECT_TRUE(Call({"k"}, "lamp").reply.status.ok());
  EXPECT_EQ(server_->script().entered, 2);
}

TEST_P(RepliesTest, AKeyThatIsNoneIsRefusedByName) {
  Serve();
  const auto refused = [this](const std::vector<std::string>& keys) {
    const Reply reply = Call(keys).reply;
    EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(reply.Trailers(kNotAppliedKey), ElementsAre(kNotAppliedValue));
    return reply.status.error_message();
  };
  EXPECT_EQ(refused({std::string(10 * 1024, 'k')}),
            "idempotency-key has 10240 bytes; send 1 to 200");
  EXPECT_EQ(refused({""}), "idempotency-key has 0 bytes; send 1 to 200");
  EXPECT_EQ(refused({"k", "k"}),
            "idempotency-key came 2 times; send one, or none");
  EXPECT_EQ(refused({"two words"}),
            "idempotency-key has bytes that are not visible ASCII; send none");
  EXPECT_EQ(server_->script().entered, 0);
}

TEST_P(RepliesTest, StreamsRunEveryTime) {
  Serve();
  for (const Kind kind : {Kind::kUpload, Kind::kDownload, Kind::kChat}) {
    for (int i = 0; i < 2; ++i) {
      grpc::ClientContext context;
      context.AddMetadata(std::string(kIdempotencyKey), "k");
      EXPECT_TRUE(server_->Call(kind, &context).status.ok());
    }
  }
  EXPECT_EQ(server_->script().entered, 6);
}

TEST_P(RepliesTest, ObservingRunsEveryCall) {
  options_.mode = Mode::kObserve;
  Serve();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(Call({"k"}).reply.status.ok());
  EXPECT_EQ(server_->script().entered, 2);
}

}  // namespace
}  // namespace testing
}  // namespace forbear
