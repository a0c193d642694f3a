// Calls that ask for themselves: of completion queues, and of generic services.
#include "interceptors/server/guarded_call.h"

#include <gmock/gmock.h>
#include <grpcpp/generic/async_generic_service.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
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

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::Duration kMinute = absl::Minutes(1);

enum class Way { kQueue, kGenericQueue, kGenericCallback };

// What a service of any of these kinds does with a call that may go on.
using Work =
    std::function<grpc::Status(GuardedCall&, grpc::ServerContextBase*)>;

// Serves unary calls, one after another, until it is stopped.
class Served {
 public:
  virtual ~Served() = default;
  virtual Kinds::Service* service() = 0;
  virtual void Prepare(grpc::ServerBuilder&, ServerGuard&) = 0;
  virtual void Start(ServerGuard& guard, Work work) = 0;
  virtual void Stop() = 0;
};

// Nothing may be asked of a queue that is shut down.
class Queue {
 public:
  void Add(grpc::ServerBuilder& builder) {
    queue_ = builder.AddCompletionQueue();
  }
  grpc::ServerCompletionQueue* get() { return queue_.get(); }

  // False if it is shut down; `request` was not called then.
  bool Request(const std::function<void()>& request) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!stopped_) request();
    return !stopped_;
  }
  bool Next() {
    void* tag;
    bool ok;
    return queue_->Next(&tag, &ok) && ok;
  }
  // Until it goes, the queue is not stopped: a call wants it.
  std::unique_lock<std::mutex> Serving() {
    return std::unique_lock<std::mutex>(mutex_);
  }
  void Stop() {
    std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    queue_->Shutdown();
  }
  void Drain() {
    void* tag;
    bool ok;
    while (queue_->Next(&tag, &ok)) {
    }
  }

 private:
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::mutex mutex_;
  bool stopped_ = false;
};

// Unary calls by a completion queue, on one thread.
class QueueServed final : public Served {
 public:
  Kinds::Service* service() override { return &service_; }
  void Prepare(grpc::ServerBuilder& builder, ServerGuard&) override {
    queue_.Add(builder);
  }
  void Start(ServerGuard& guard, Work work) override {
    thread_ = std::thread([this, &guard, work] { Serve(guard, work); });
  }
  void Stop() override {
    queue_.Stop();
    thread_.join();
    queue_.Drain();
  }

 private:
  void Serve(ServerGuard& guard, const Work& work) {
    while (true) {
      grpc::ServerContext context;
      Note request, response;
      grpc::ServerAsyncResponseWriter<Note> writer(&context);
      if (!queue_.Request([&] {
            service_.RequestUnary(&context, &request, &writer, queue_.get(),
                                  queue_.get(), &context);
          }) ||
          !queue_.Next()) {
        return;
      }
      const auto serving = queue_.Serving();
      auto call = guard.Enter(&context, MethodOf(Kind::kUnary),
                              [&](const grpc::Status& status) {
                                writer.FinishWithError(status, &writer);
                              });
      if (call != nullptr) {
        const CallScope::Enter in(call->scope());
        const grpc::Status status = work(*call, &context);
        call->Ends(status);
        writer.Finish(response, status, &writer);
      }
      queue_.Next();  // It is sent, or was in vain.
    }
  }

  Kinds::WithAsyncMethod_Unary<Kinds::Service> service_;
  Queue queue_;
  std::thread thread_;
};

class GenericQueueServed final : public Served {
 public:
  Kinds::Service* service() override { return &service_; }
  void Prepare(grpc::ServerBuilder& builder, ServerGuard& guard) override {
    guard.RegisterGenericService(builder, generic_);
    queue_.Add(builder);
  }
  void Start(ServerGuard& guard, Work work) override {
    thread_ = std::thread([this, &guard, work] { Serve(guard, work); });
  }
  void Stop() override {
    queue_.Stop();
    thread_.join();
    queue_.Drain();
  }

 private:
  void Serve(ServerGuard& guard, const Work& work) {
    while (true) {
      grpc::GenericServerContext context;
      grpc::GenericServerAsyncReaderWriter stream(&context);
      if (!queue_.Request([&] {
            generic_.RequestCall(&context, &stream, queue_.get(), queue_.get(),
                                 &context);
          }) ||
          !queue_.Next()) {
        return;
      }
      const auto serving = queue_.Serving();
      auto call = guard.Enter(
          &context, context.method(),
          [&](const grpc::Status& status) { stream.Finish(status, &stream); });
      if (call != nullptr) {
        const CallScope::Enter in(call->scope());
        const grpc::Status status = work(*call, &context);
        call->Ends(status);
        const grpc::ByteBuffer empty(nullptr, 0);
        if (status.ok()) {
          stream.WriteAndFinish(empty, grpc::WriteOptions(), status, &stream);
        } else {
          stream.Finish(status, &stream);
        }
      }
      queue_.Next();  // It is sent, or was in vain.
    }
  }

  grpc::AsyncGenericService generic_;
  Kinds::WithGenericMethod_Unary<Kinds::Service> service_;
  Queue queue_;
  std::thread thread_;
};

class GenericCallbackServed final : public Served,
                                    private grpc::CallbackGenericService {
 public:
  Kinds::Service* service() override { return &service_; }
  void Prepare(grpc::ServerBuilder& builder, ServerGuard& guard) override {
    guard.RegisterGenericService(builder, *this);
  }
  void Start(ServerGuard& guard, Work work) override {
    guard_ = &guard;
    work_ = std::move(work);
  }
  void Stop() override {}

 private:
  class Reactor final : public grpc::ServerGenericBidiReactor {
   public:
    Reactor(ServerGuard& guard, const Work& work,
            grpc::GenericCallbackServerContext* context) {
      auto call =
          guard.Enter(context, context->method(),
                      [this](const grpc::Status& status) { Finish(status); });
      if (call == nullptr) return;
      const CallScope::Enter in(call->scope());
      const grpc::Status status = work(*call, context);
      call->Ends(status);
      if (status.ok()) {
        StartWriteAndFinish(&response_, grpc::WriteOptions(), status);
      } else {
        Finish(status);
      }
    }
    void OnDone() override { delete this; }

   private:
    const grpc::ByteBuffer response_{nullptr, 0};
  };

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Reactor(*guard_, work_, context);
  }

  Kinds::WithGenericMethod_Unary<Kinds::Service> service_;
  ServerGuard* guard_ = nullptr;
  Work work_;
};

std::unique_ptr<Served> Make(Way way) {
  switch (way) {
    case Way::kQueue:
      return std::make_unique<QueueServed>();
    case Way::kGenericQueue:
      return std::make_unique<GenericQueueServed>();
    case Way::kGenericCallback:
      return std::make_unique<GenericCallbackServed>();
  }
  return nullptr;
}

class GuardedCallTest : public ::testing::TestWithParam<Way> {
 protected:
  ~GuardedCallTest() override {
    if (server_ != nullptr) {
      server_->server().Shutdown();
      served_->Stop();
      server_.reset();
    }
    Await([] { return InFlight::Total() == 0; });
  }

  void Serve(const ServerOptions& options, Work work = nullptr) {
    if (work == nullptr) {
      work = [](GuardedCall&, grpc::ServerContextBase*) {
        return grpc::Status::OK;
      };
    }
    ServerSetup setup;
    setup.prepare_guarded = [this](grpc::ServerBuilder& builder,
                                   ServerGuard& guard) {
      served_->Prepare(builder, guard);
    };
    // A callback service may be asked as soon as the server has started.
    setup.before_start = [this, work](ServerGuard& guard) {
      if (GetParam() == Way::kGenericCallback) served_->Start(guard, work);
    };
    server_ = std::make_unique<KindsServer>(served_->service(), options,
                                            std::move(setup));
    if (GetParam() != Way::kGenericCallback) {
      served_->Start(server_->guard(), work);
    }
  }
  Reply Call(absl::Duration timeout = kMinute) {
    return server_->Call(Kind::kUnary, timeout);
  }

  std::unique_ptr<Served> served_ = Make(GetParam());
  std::unique_ptr<KindsServer> server_;
};

std::string NameOfWay(const ::testing::TestParamInfo<Way>& info) {
  static constexpr const char* kNames[] = {"Queue", "GenericQueue",
                                           "GenericCallback"};
  return kNames[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Ways, GuardedCallTest,
                         ::testing::Values(Way::kQueue, Way::kGenericQueue,
                                           Way::kGenericCallback),
                         NameOfWay);

TEST_P(GuardedCallTest, RunsInItsScopeAndIsCounted) {
  absl::Duration left;
  Serve(ServerOptions(), [&left](GuardedCall&, grpc::ServerContextBase*) {
    left = CallScope::Current()->TimeLeft();
    return grpc::Status::OK;
  });
  const Reply reply = Call();
  EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
  server_->recorder().AwaitEnded(1);
  EXPECT_GT(left, absl::ZeroDuration());
  EXPECT_LE(left, kMinute * 1.01);
  EXPECT_THAT(server_->recorder().entered(), SizeIs(1));
  EXPECT_THAT(server_->recorder().ended(), SizeIs(1));
  EXPECT_EQ(server_->recorder().ended()[0].code, absl::StatusCode::kOk);
  EXPECT_EQ(server_->recorder().ended()[0].method, MethodOf(Kind::kUnary));
}

TEST_P(GuardedCallTest, IsAnsweredWhenItMayNotGoOn) {
  ServerOptions options;
  options.minimum_time_left = absl::Hours(1);
  Serve(options);
  const Reply reply = Call();
  EXPECT_EQ(reply.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(reply.Trailers(kNotAppliedKey), ElementsAre(kNotAppliedValue));
  EXPECT_THAT(server_->recorder().entered(), IsEmpty());
  ASSERT_THAT(server_->recorder().refused(), SizeIs(1));
  EXPECT_TRUE(server_->recorder().refused()[0].enforced);
}

TEST_P(GuardedCallTest, ObservingCountsItAndLetsItGoOn) {
  ServerOptions options;
  options.mode = Mode::kObserve;
  options.minimum_time_left = absl::Hours(1);
  Serve(options);
  EXPECT_TRUE(Call().status.ok());
  server_->recorder().AwaitEnded(1);
  ASSERT_THAT(server_->recorder().refused(), SizeIs(1));
  EXPECT_FALSE(server_->recorder().refused()[0].enforced);
}

TEST_P(GuardedCallTest, TakesRoomAndIsTurnedAwayWhereThereIsNone) {
  ServerOptions options;
  options.max_concurrent_calls = 1;
  Serve(options, [this](GuardedCall&, grpc::ServerContextBase* context) {
    // This call has the only room.
    EXPECT_EQ(server_->guard().Enter(
                  context, MethodOf(Kind::kUnary),
                  [](const grpc::Status& status) {
                    EXPECT_EQ(status.error_code(),
                              grpc::StatusCode::RESOURCE_EXHAUSTED);
                  }),
              nullptr);
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "it ran");
  });
  const Reply reply = Call();
  EXPECT_EQ(reply.status.error_message(), "it ran");
  // What was said for the one that was turned away: they share a context here.
  EXPECT_THAT(reply.Trailers(kPushbackKey), SizeIs(1));
  EXPECT_THAT(reply.Trailers(kNotAppliedKey), IsEmpty());  // It ran.
  EXPECT_EQ(Call().status.error_message(), "it ran");  // There is room again.
}

TEST_P(GuardedCallTest, EndsWhenItsServersOwnDeadlinePasses) {
  ServerOptions options;
  options.max_deadline = absl::Milliseconds(20);
  Serve(options, [](GuardedCall& call, grpc::ServerContextBase*) {
    Await([&call] { return call.scope()->Cancelled(); });
    return grpc::Status::OK;
  });
  EXPECT_EQ(Call().status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  server_->recorder().AwaitEnded(1);
  EXPECT_EQ(server_->recorder().ended()[0].code,
            absl::StatusCode::kDeadlineExceeded);
}

TEST_P(GuardedCallTest, TellsTheCallerNotToRetryWhatWasGivenUpBelow) {
  Serve(ServerOptions(), [](GuardedCall& call, grpc::ServerContextBase*) {
    call.scope()->NoteGaveUp(absl::StatusCode::kUnavailable);
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "down");
  });
  EXPECT_THAT(Call().Trailers(kPushbackKey), ElementsAre("-1"));
}

}  // namespace
}  // namespace testing
}  // namespace forbear
