// What tests share that must hold for every stub style, for calls that go
// direct and for calls that are taken over by the interceptor.
#ifndef FORBEAR_TESTS_CLIENT_STYLES_H_
#define FORBEAR_TESTS_CLIENT_STYLES_H_

#include <grpcpp/support/client_interceptor.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "interceptors/client/channel.h"
#include "interceptors/context/clock.h"
#include "interceptors/context/in_flight.h"
#include "tests/client/probe_call.h"

namespace forbear {
namespace testing {

enum class Path { kDirect, kHijacked };

// The public API alone has one path, whichever is asked for, and knows neither
// generic stubs nor inbound calls.
#ifdef FORBEAR_PUBLIC_API_ONLY
inline constexpr bool kPublicApiOnly = true;
#else
inline constexpr bool kPublicApiOnly = false;
#endif

// An interceptor that does nothing. Having any of the user's sends calls the
// way of the interceptor API.
class Bystanders final
    : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateClientInterceptor(
      grpc::experimental::ClientRpcInfo*) override {
    ++calls;
    return new Bystander;
  }
  std::atomic<int> calls{0};

 private:
  class Bystander final : public grpc::experimental::Interceptor {
    void Intercept(
        grpc::experimental::InterceptorBatchMethods* methods) override {
      methods->Proceed();
    }
  };
};

// An interceptor that makes every answer PERMISSION_DENIED, "rewritten".
class Rewriter final
    : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateClientInterceptor(
      grpc::experimental::ClientRpcInfo*) override {
    return new Rewrites;
  }

 private:
  class Rewrites final : public grpc::experimental::Interceptor {
    void Intercept(
        grpc::experimental::InterceptorBatchMethods* methods) override {
      if (methods->QueryInterceptionHookPoint(
              grpc::experimental::InterceptionHookPoints::POST_RECV_STATUS)) {
        *methods->GetRecvStatus() =
            grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "rewritten");
      }
      methods->Proceed();
    }
  };
};

// Waits no longer than it must.
inline MethodPolicy Eager() {
  MethodPolicy policy;
  policy.backoff.jitter = Jitter::kNone;
  policy.backoff.initial = absl::Milliseconds(1);
  policy.backoff.max = absl::Milliseconds(1);
  return policy;
}

inline Reply ReplyOf(const std::string& text) {
  Reply reply;
  reply.set_text(text);
  return reply;
}

// Calls to the probe service, with budget for all retries.
class StylesTest
    : public ::testing::TestWithParam<std::tuple<StubStyle, Path>> {
 protected:
  StylesTest() {
    options_.policy = Eager();
    RetryBudgetOptions roomy;
    roomy.ceiling = 1000;
    options_.policy.target_budget = roomy;
    options_.process_budget = std::make_shared<RetryBudget>(roomy, SteadyNow());
    if (std::get<1>(GetParam()) == Path::kHijacked) {
      options_.interceptors.push_back(bystander_);
    }
  }

  void TearDown() override {
    own_context_.reset();  // What a call received lives as long as its context.
    while (InFlight::Total() != 0) std::this_thread::yield();
  }

  StubStyle style() const { return std::get<0>(GetParam()); }

  std::unique_ptr<ProbeStub> Stub(
      const std::string& target,
      const std::shared_ptr<grpc::ChannelCredentials>& credentials =
          grpc::InsecureChannelCredentials()) const {
    return ProbeStub::New(CreateChannel(target, credentials, options_));
  }

  // One call on a channel of its own.
  grpc::Status CallOnce(const std::string& target, ProbeMethod method) {
    return Call(*Stub(target), style(), method, &context_, "hello").status;
  }

  const std::shared_ptr<Bystanders> bystander_ = std::make_shared<Bystanders>();
  ClientOptions options_;
  std::unique_ptr<grpc::ClientContext> own_context_ =
      std::make_unique<grpc::ClientContext>();
  grpc::ClientContext& context_ = *own_context_;
};

inline auto AllStyles() {
  std::vector<StubStyle> styles = {StubStyle::kSync, StubStyle::kCallback,
                                   StubStyle::kReactor, StubStyle::kQueue,
                                   StubStyle::kQueueInTwo};
  if (!kPublicApiOnly) {
    styles.push_back(StubStyle::kGenericQueue);
    styles.push_back(StubStyle::kGenericCallback);
  }
  return ::testing::Combine(::testing::ValuesIn(styles),
                            ::testing::Values(Path::kDirect, Path::kHijacked));
}

inline std::string StyleAndPath(
    const ::testing::TestParamInfo<std::tuple<StubStyle, Path>>& info) {
  return absl::StrCat(
      StyleName(std::get<0>(info.param)),
      std::get<1>(info.param) == Path::kDirect ? "Direct" : "Hijacked");
}

}  // namespace testing
}  // namespace forbear

#endif  // FORBEAR_TESTS_CLIENT_STYLES_H_
