// Calls that end late, early, or from outside, under the guard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/context/call_scope.h"
#include "interceptors/context/in_flight.h"
#include "tests/server/kinds_server.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::Combine;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::Values;

constexpr absl::Duration kMinute = absl::Minutes(1);

ServerOptions AllDoomed() {
  ServerOptions options;
  options.minimum_time_left = absl::Hours(1);
  return options;
}

void AwaitNothingInFlight() {
  Await([] { return InFlight::Total() == 0; });
}

class GuardLifetimeTest
    : public ::testing::TestWithParam<std::tuple<Style, Kind>> {
 protected:
  ~GuardLifetimeTest() override { AwaitNothingInFlight(); }

  Style style() const { return std::get<0>(GetParam()); }
  Kind kind() const { return std::get<1>(GetParam()); }
};

TEST_P(GuardLifetimeTest, TellsAHandlerThatItsCallerIsGone) {
  KindsServer server(style(), ServerOptions());
  server.script().until_cancelled = true;
  grpc::ClientContext context;
  std::thread gives_up([&] {
    Await([&] { return server.script().entered == 1; });
    context.TryCancel();
  });
  EXPECT_EQ(server.Call(kind(), &context).status.error_code(),
            grpc::StatusCode::CANCELLED);
  gives_up.join();
  server.recorder().AwaitEnded(1);
  EXPECT_EQ(server.recorder().ended()[0].code, absl::StatusCode::kAborted);
}

// Some calls may expire before their handler: more time, until one does not.
TEST_P(GuardLifetimeTest, TellsAHandlerThatItsDeadlineHasPassed) {
  KindsServer server(style(), ServerOptions());
  server.script().until_cancelled = true;
  absl::Duration timeout = absl::Milliseconds(20);
  while (server.script().entered == 0) {
    EXPECT_FALSE(server.Call(kind(), timeout).status.ok());
    timeout *= 2;
  }
  server.recorder().AwaitEnded(1);
  EXPECT_EQ(server.recorder().ended()[0].code, absl::StatusCode::kAborted);
}

TEST_P(GuardLifetimeTest, EndsCallsInFlightWhenTheServerShutsDown) {
  KindsServer server(style(), ServerOptions());
  server.script().until_cancelled = true;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      EXPECT_FALSE(server.Call(kind(), absl::InfiniteDuration()).status.ok());
    });
  }
  Await([&] { return server.script().entered == 4; });
  server.server().Shutdown(std::chrono::system_clock::now());
  for (auto& caller : callers) caller.join();
  EXPECT_THAT(server.recorder().entered(), SizeIs(4));
  EXPECT_THAT(server.recorder().ended(), SizeIs(4));
}

TEST_P(GuardLifetimeTest, TellsOfEachOfManyCallsOnceHoweverTheyEnd) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 50;
  ServerOptions options;
  options.minimum_time_left = absl::Milliseconds(1);
  KindsServer server(style(), options);
  std::vector<std::thread> callers;
  for (int thread = 0; thread < kThreads; ++thread) {
    callers.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i) {
        grpc::ClientContext context;
        context.set_deadline(std::chrono::system_clock::now() +
                             std::chrono::microseconds(500 * (i % 8 + 1)));
        std::thread gives_up([&context, i] {
          if (i % 3 == 0) context.TryCancel();
        });
        server.Call(kind(), &context);
        gives_up.join();
      }
    });
  }
  for (auto& caller : callers) caller.join();
  server.server().Shutdown();
  EXPECT_EQ(server.recorder().entered().size(),
            static_cast<size_t>(server.script().entered));
  EXPECT_EQ(server.recorder().ended().size(),
            server.recorder().entered().size());
  EXPECT_LE(
      server.recorder().entered().size() + server.recorder().refused().size(),
      static_cast<size_t>(kThreads * kCalls));
}

INSTANTIATE_TEST_SUITE_P(
    AllKinds, GuardLifetimeTest,
    Combine(Values(Style::kSync, Style::kCallback),
            Values(Kind::kUnary, Kind::kUpload, Kind::kDownload, Kind::kChat)),
    [](const ::testing::TestParamInfo<GuardLifetimeTest::ParamType>& info) {
      return NameOf(std::get<0>(info.param)) + NameOf(std::get<1>(info.param));
    });

// --- Callback handlers that go on after their function ---

// Leaves its calls to the test.
class LaterKinds final : public Kinds::CallbackService {
 public:
  struct Pending {
    grpc::ServerUnaryReactor* reactor;
    std::shared_ptr<CallScope> scope;
  };

  grpc::ServerUnaryReactor* Unary(grpc::CallbackServerContext* context,
                                  const Note*, Note* reply) override {
    reply->set_text("later");
    std::lock_guard<std::mutex> lock(mutex_);
    pending_.push_back({context->DefaultReactor(), CallScope::Current()});
    return pending_.back().reactor;
  }

  Pending Take() {
    std::unique_lock<std::mutex> lock(mutex_);
    Await([&] {
      lock.unlock();
      lock.lock();
      return !pending_.empty();
    });
    Pending pending = pending_.back();
    pending_.pop_back();
    return pending;
  }

 private:
  std::mutex mutex_;
  std::vector<Pending> pending_;
};

TEST(GuardLaterTest, KeepsTheScopeUntilTheHandlerFinishes) {
  LaterKinds service;
  KindsServer server(&service, ServerOptions());
  Reply reply;
  std::thread caller([&] { reply = server.Call(Kind::kUnary, kMinute); });
  LaterKinds::Pending pending = service.Take();
  EXPECT_FALSE(pending.scope->Cancelled());
  EXPECT_TRUE(pending.scope->WithParent([](grpc_call*) {}));
  EXPECT_EQ(InFlight::Count(InFlight::kHandler), 1);
  EXPECT_THAT(server.recorder().ended(), IsEmpty());

  pending.scope->NoteGaveUp(absl::StatusCode::kUnavailable);
  pending.reactor->Finish({grpc::StatusCode::UNAVAILABLE, "down"});
  caller.join();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(reply.Trailers("grpc-retry-pushback-ms"), SizeIs(1));
  EXPECT_THAT(server.recorder().ended(), SizeIs(1));
  EXPECT_FALSE(pending.scope->WithParent([](grpc_call*) {}));
  pending.scope = nullptr;
  AwaitNothingInFlight();
}

TEST(GuardLaterTest, SeesTheCallerLeaveBetweenTheFunctionAndItsFinish) {
  LaterKinds service;
  KindsServer server(&service, ServerOptions());
  grpc::ClientContext context;
  std::thread caller([&] { server.Call(Kind::kUnary, &context); });
  LaterKinds::Pending pending = service.Take();
  context.TryCancel();
  caller.join();
  Await([&] { return pending.scope->Cancelled(); });
  pending.reactor->Finish(grpc::Status::OK);
  server.recorder().AwaitEnded(1);
  pending.scope = nullptr;
  AwaitNothingInFlight();
}

// --- Memory that callback servers bring along ---

class CountingAllocator final : public grpc::MessageAllocator<Note, Note> {
 public:
  grpc::MessageHolder<Note, Note>* AllocateMessages() override {
    ++held;
    ++allocated;
    return new Holder(this);
  }

  std::atomic<int> allocated{0};
  std::atomic<int> held{0};

 private:
  class Holder final : public grpc::MessageHolder<Note, Note> {
   public:
    explicit Holder(CountingAllocator* allocator) : allocator_(*allocator) {
      set_request(&request_);
      set_response(&response_);
    }
    void Release() override {
      --allocator_.held;
      delete this;
    }

   private:
    CountingAllocator& allocator_;
    Note request_, response_;
  };
};

class CountingContexts final : public grpc::ContextAllocator {
 public:
  explicit CountingContexts(std::atomic<int>* held) : held_(*held) {}
  ~CountingContexts() override { EXPECT_EQ(held_, 0); }

  grpc::CallbackServerContext* NewCallbackServerContext() override {
    ++held_;
    return new grpc::CallbackServerContext();
  }
  void Release(grpc::CallbackServerContext* context) override {
    --held_;
    delete context;
  }

 private:
  std::atomic<int>& held_;
};

TEST(GuardAllocatorTest, FreesMessagesOfAllocatorsServedOrRefused) {
  for (const bool refuse : {false, true}) {
    Script script;
    CallbackKinds service(&script);
    CountingAllocator allocator;
    service.SetMessageAllocatorFor_Unary(&allocator);
    {
      KindsServer server(&service, refuse ? AllDoomed() : ServerOptions());
      for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(server.Call(Kind::kUnary, kMinute).status.ok(), !refuse);
      }
    }
    EXPECT_EQ(script.entered, refuse ? 0 : 10);
    EXPECT_EQ(allocator.allocated, 10);
    EXPECT_EQ(allocator.held, 0);
  }
  AwaitNothingInFlight();
}

TEST(GuardAllocatorTest, LeavesContextsToTheirAllocator) {
  std::atomic<int> held{0};
  for (const bool refuse : {false, true}) {
    ServerSetup setup;
    setup.prepare = [&held](grpc::ServerBuilder& builder) {
      builder.SetContextAllocator(std::make_unique<CountingContexts>(&held));
    };
    KindsServer server(Style::kCallback, refuse ? AllDoomed() : ServerOptions(),
                       std::move(setup));
    for (const Kind kind :
         {Kind::kUnary, Kind::kUpload, Kind::kDownload, Kind::kChat}) {
      EXPECT_EQ(server.Call(kind, kMinute).status.ok(), !refuse);
    }
  }
  AwaitNothingInFlight();
}

}  // namespace
}  // namespace testing
}  // namespace forbear
