// Channels that follow a policy file while it changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "interceptors/client/client_core.h"
#include "interceptors/policy_file/policy_file.h"
#include "interceptors/testing/scripted_server.h"
#include "tests/client/styles.h"

namespace forbear {
namespace testing {
namespace {

using ::testing::ElementsAre;

// Does something at a call's first wait, and writes down the balances that the
// budgets had when calls ended.
class Listener final : public Observer {
 public:
  void WaitScheduled(const Wait&) override {
    if (at_wait != nullptr) std::exchange(at_wait, nullptr)();
  }
  void RetryRefused(const Refusal& refusal) override {
    balances.push_back(refusal.budget_balance);
  }

  std::function<void()> at_wait;
  std::vector<double> balances;
};

std::string Allowing(int attempts, absl::string_view rest = "") {
  return absl::StrCat(
      R"({"methods": [{"name": [{}], "retryableCodes": ["UNAVAILABLE"],
          "backoff": {"initial": "0.001s", "max": "0.001s"},
          "maxAttempts": )",
      attempts, "}]", rest, "}");
}

class ReloadTest : public StylesTest {
 protected:
  ReloadTest() {
    path_ = absl::StrCat(std::getenv("TEST_TMPDIR"), "/policy.json");
    server_.Script({Answer::Fails(grpc::StatusCode::UNAVAILABLE, "down")});
    options_.observer = listener_;
  }

  void Write(const std::string& content) { std::ofstream(path_) << content; }

  void Open(const std::string& content) {
    Write(content);
    PolicyFileOptions options;
    options.period = absl::Hours(1);
    options.on_error = [](const absl::Status&) {};
    auto file = PolicyFile::Open(path_, options);
    ASSERT_EQ(file.status(), absl::OkStatus());
    file_ = *file;
    options_.policy_file = file_;
    stub_ = Stub(server_.address());
  }

  void Change(const std::string& content) {
    Write(content);
    ASSERT_EQ(file_->Look(), absl::OkStatus());
  }

  size_t AttemptsOfACall() {
    const size_t before = server_.arrivals().size();
    grpc::ClientContext context;
    Call(*stub_, style(), ProbeMethod::kPut, &context);
    return server_.arrivals().size() - before;
  }

  ScriptedServer server_;
  std::string path_;
  std::shared_ptr<Listener> listener_ = std::make_shared<Listener>();
  std::shared_ptr<PolicyFile> file_;
  std::unique_ptr<ProbeStub> stub_;
};

INSTANTIATE_TEST_SUITE_P(, ReloadTest, AllStyles(), StyleAndPath);

TEST_P(ReloadTest, CallsFollowTheFileAndABrokenOneChangesNothing) {
  Open(Allowing(2));
  EXPECT_EQ(AttemptsOfACall(), 2);
  Change(Allowing(4));
  EXPECT_EQ(AttemptsOfACall(), 4);
  Write(Allowing(0));
  EXPECT_EQ(file_->Look().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(AttemptsOfACall(), 4);
}

TEST_P(ReloadTest, ACallUnderWayKeepsItsPolicy) {
  Open(Allowing(3));
  listener_->at_wait = [this] { Change(Allowing(1)); };
  EXPECT_EQ(AttemptsOfACall(), 3);
  EXPECT_EQ(AttemptsOfACall(), 1);
}

// The vector of gRFC A6: reloaded to 10 while at 3 of 4 starts at 7.5.
TEST_P(ReloadTest, ABudgetIsAsFullAsItWas) {
  Open(Allowing(1, R"(, "targetBudget": {"throttle": {"maxTokens": 4}})"));
  AttemptsOfACall();
  Change(Allowing(1, R"(, "targetBudget": {"throttle": {"maxTokens": 10}})"));
  AttemptsOfACall();
  EXPECT_THAT(listener_->balances, ElementsAre(3, 7.5 - 1));
}

TEST_P(ReloadTest, AChannelMayGoWhileItsFileGoesOn) {
  Open(Allowing(2));
  stub_.reset();
  Change(Allowing(3));
  stub_ = Stub(server_.address());
  EXPECT_EQ(AttemptsOfACall(), 3);
}

TEST_P(ReloadTest, CallsThatRunWhileItChangesAreNotDisturbed) {
  server_.Script({Answer::Fails(grpc::StatusCode::UNAVAILABLE, "down"),
                  Answer::Succeeds(ReplyOf("up"))});
  Open(Allowing(3));
  std::atomic<bool> done{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      do {
        grpc::ClientContext context;
        EXPECT_TRUE(
            Call(*stub_, style(), ProbeMethod::kPut, &context).status.ok());
      } while (!done);
    });
  }
  for (int i = 0; i < 50; ++i) Change(Allowing(2 + i % 3));
  done = true;
  for (std::thread& caller : callers) caller.join();
}

TEST(ClientCoreTest, AReloadEachMinuteDoesNotGrow) {
  const auto core = ClientCore::Make("reload.test:1", ClientOptions());
  const NamedMethod* const method = core->Find("/a.S/M");
  for (int minute = 0; minute < 10'000; ++minute) {
    ClientPolicy policy;
    policy.target_budget.ceiling = minute;
    core->Adopt(policy);
    ASSERT_EQ(method->Take()->target_budget->Capacity(absl::InfinitePast()),
              minute);
  }
  EXPECT_EQ(method->versions.versions(), 2);
}

TEST(ClientCoreTest, WhatMeansTheSameIsNotReplaced) {
  const auto core = ClientCore::Make("reload.test:2", ClientOptions());
  const InUse<Method> before = core->Find("/a.S/M")->Take();
  core->Adopt(ClientPolicy());
  EXPECT_EQ(core->Find("/a.S/M")->Take().get(), before.get());
}

}  // namespace
}  // namespace testing
}  // namespace forbear
