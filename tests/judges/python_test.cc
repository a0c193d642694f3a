// What we export, read by a client that is not ours: Python's grpcio against
// the scripted server, which counts the attempts.
#include <gmock/gmock.h>
#include <google/protobuf/empty.pb.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "interceptors/policy_file/load_policy.h"
#include "interceptors/policy_file/policy_writer.h"
#include "interceptors/testing/scripted_server.h"

namespace forbear {
namespace {

using grpc::StatusCode;
using testing::Answer;
using ::testing::Contains;
using testing::ScriptedServer;

constexpr char kFile[] =
    "google_cloud_speech_v1_speech_grpc_service_config.json";
constexpr char kName[] = "google.cloud.speech.v1.Speech/Recognize";

struct Outcome {
  std::string code;  // As Python calls it; what it said if that is none.
  size_t attempts = 0;
};

class PythonTest : public ::testing::Test {
 protected:
  void Export(const Policy& policy) {
    config_ = absl::StrCat(std::getenv("TEST_TMPDIR"), "/config.json");
    std::ofstream(config_) << WriteServiceConfig(policy.client, &lost_);
  }

  Outcome Call(const std::string& method, std::vector<Answer> script) {
    server_.Script(std::move(script));
    const size_t before = server_.arrivals().size();
    const std::string command =
        absl::StrCat("/usr/bin/python3 tests/judges/call.py ",
                     server_.address(), " ", config_, " ", method, " 2>&1");
    FILE* const pipe = popen(command.c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    Outcome outcome;
    for (int c; (c = std::fgetc(pipe)) != EOF;) {
      if (c != '\n') outcome.code.push_back(static_cast<char>(c));
    }
    pclose(pipe);
    outcome.attempts = server_.arrivals().size() - before;
    return outcome;
  }

  ScriptedServer server_;
  std::string config_;
  std::vector<std::string> lost_;
};

Answer Fails(StatusCode code) { return Answer::Fails(code, "as scripted"); }

TEST_F(PythonTest, MakesTheAttemptsThatThePolicySays) {
  const auto policy = ParsePolicy(R"({"methods": [
      {"name": [{"service": "a.S"}], "maxAttempts": 3, "repeatable": true,
       "backoff": {"initial": "0.001s", "max": "0.002s"}},
      {"name": [{"service": "a.S", "method": "Once"}], "maxAttempts": 1},
      {"name": [{"service": "a.T"}], "maxAttempts": 9,
       "retryableCodes": ["ABORTED"],
       "backoff": {"initial": "0.001s", "max": "0.002s"}}]})");
  ASSERT_EQ(policy.status(), absl::OkStatus());
  Export(*policy);

  Outcome outcome = Call("/a.S/M", {Fails(StatusCode::UNAVAILABLE)});
  EXPECT_EQ(outcome.code, "UNAVAILABLE");
  EXPECT_EQ(outcome.attempts, 3);

  outcome = Call(
      "/a.S/M", {Fails(StatusCode::UNAVAILABLE), Fails(StatusCode::UNAVAILABLE),
                 Answer::Succeeds(google::protobuf::Empty())});
  EXPECT_EQ(outcome.code, "OK");
  EXPECT_EQ(outcome.attempts, 3);

  outcome = Call("/a.S/M", {Fails(StatusCode::ABORTED)});
  EXPECT_EQ(outcome.code, "ABORTED");
  EXPECT_EQ(outcome.attempts, 1);

  outcome = Call("/a.S/Once", {Fails(StatusCode::UNAVAILABLE)});
  EXPECT_EQ(outcome.code, "UNAVAILABLE");
  EXPECT_EQ(outcome.attempts, 1);

  outcome = Call("/a.T/M", {Fails(StatusCode::ABORTED)});
  EXPECT_EQ(outcome.code, "ABORTED");
  EXPECT_EQ(outcome.attempts, 5);
}

// 2 tokens: the first failure leaves 1, which is half.
TEST_F(PythonTest, KeepsToTheThrottle) {
  const auto policy = ParsePolicy(R"({"methods": [
      {"name": [{}], "retryableCodes": ["UNAVAILABLE"],
       "backoff": {"initial": "0.001s", "max": "0.002s"}}],
      "targetBudget": {"throttle": {"maxTokens": 2, "tokenRatio": 1}}})");
  ASSERT_EQ(policy.status(), absl::OkStatus());
  Export(*policy);
  EXPECT_EQ(Call("/a.S/M", {Fails(StatusCode::UNAVAILABLE)}).attempts, 1);
}

// Its retries have no limit, which becomes 5.
TEST_F(PythonTest, MakesTheAttemptsOfAConvertedRealFile) {
  const char* const folder = std::getenv("FORBEAR_SERVICE_CONFIGS");
  if (folder == nullptr) {
    GTEST_SKIP() << "FORBEAR_SERVICE_CONFIGS names no folder of files";
  }
  const auto policy = LoadPolicy(absl::StrCat(folder, "/", kFile));
  ASSERT_EQ(policy.status(), absl::OkStatus());
  Export(*policy);
  EXPECT_THAT(lost_, Contains(absl::StrCat(
                         kName,
                         ": attempts without limit become 5, the most that "
                         "gRPC makes")));
  const Outcome outcome =
      Call(absl::StrCat("/", kName), {Fails(StatusCode::UNAVAILABLE)});
  EXPECT_EQ(outcome.code, "UNAVAILABLE");
  EXPECT_EQ(outcome.attempts, 5);
}

}  // namespace
}  // namespace forbear
