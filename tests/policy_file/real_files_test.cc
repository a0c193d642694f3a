// The service configs that googleapis publishes, from the folder that the
// environment names; .ci/run does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "interceptors/policy_file/field_list.h"
#include "interceptors/policy_file/load_policy.h"
#include "interceptors/policy_file/policy_writer.h"

namespace forbear {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::StartsWith;

class RealFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("FORBEAR_SERVICE_CONFIGS");
    if (folder == nullptr) {
      GTEST_SKIP() << "FORBEAR_SERVICE_CONFIGS names no folder of files";
    }
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      const std::string name = file.path().filename();
      absl::StatusOr<Policy> policy = LoadPolicy(file.path());
      if (policy.ok()) {
        sound_.emplace(name, *std::move(policy));
      } else {
        std::string error(policy.status().message());
        refused_.emplace(name, error.substr(error.find(": ") + 2));
      }
    }
  }

  std::map<std::string, Policy> sound_;
  std::map<std::string, std::string> refused_;
};

// With more than five attempts, or no limit, as a service config has it.
MethodPolicy AsInGrpc(MethodPolicy policy) {
  policy.max_attempts = std::min(policy.max_attempts, 5);
  return policy;
}

TEST_F(RealFilesTest, AllLoadButTwoThatCanNeverRetry) {
  EXPECT_EQ(sound_.size(), 115);
  EXPECT_THAT(
      refused_,
      ElementsAre(
          Pair("google_cloud_ces_v1beta_ces_grpc_service_config.json",
               StartsWith("methodConfig[1].retryPolicy.retryableStatusCodes: "
                          "is empty")),
          Pair("google_streetview_publish_v1_streetview_publish_grpc_service_"
               "config.json",
               StartsWith("methodConfig[0].retryPolicy.retryableStatusCodes: "
                          "is empty"))));
}

TEST_F(RealFilesTest, EachMeansTheSameWhenWrittenAsServiceConfig) {
  int without_limit = 0;
  for (const auto& [name, policy] : sound_) {
    std::vector<std::string> lost;
    const std::string json = WriteServiceConfig(policy.client, &lost);
    const absl::StatusOr<Policy> again = ParsePolicy(json, name);
    ASSERT_EQ(again.status(), absl::OkStatus());
    const PolicyTable& before = policy.client.methods;
    const PolicyTable& after = again->client.methods;
    EXPECT_EQ(after.names(), before.names()) << name;
    EXPECT_TRUE(SameMeaning(*after.Find(""), AsInGrpc(*before.Find(""))));
    for (const std::string& method : before.names()) {
      const MethodPolicy& found = *before.Find(method);
      EXPECT_TRUE(SameMeaning(*after.Find(method), AsInGrpc(found)))
          << name << ": " << method;
      if (found.max_attempts == MethodPolicy::kUnlimitedAttempts) {
        ++without_limit;
        EXPECT_THAT(lost,
                    ::testing::Contains(absl::StrCat(
                        method,
                        ": attempts without limit become 5, the most that "
                        "gRPC makes")))
            << name;
      }
    }
  }
  EXPECT_EQ(without_limit > 0, !sound_.empty());
}

TEST_F(RealFilesTest, EachMeansTheSameWhenWrittenAsPolicyFile) {
  for (const auto& [name, policy] : sound_) {
    const absl::StatusOr<Policy> again = ParsePolicy(WritePolicy(policy), name);
    ASSERT_EQ(again.status(), absl::OkStatus());
    const PolicyTable& before = policy.client.methods;
    EXPECT_EQ(again->client.methods.names(), before.names()) << name;
    EXPECT_TRUE(SameMeaning(*again->client.methods.Find(""), *before.Find("")));
    for (const std::string& method : before.names()) {
      EXPECT_TRUE(SameMeaning(*again->client.methods.Find(method),
                              *before.Find(method)))
          << name << ": " << method;
    }
  }
}

}  // namespace
}  // namespace forbear
