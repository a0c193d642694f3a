#include "interceptors/policy_file/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace forbear {
namespace {

using ::testing::ElementsAre;

std::string Allowing(int attempts) {
  return absl::StrCat(R"({"methods": [{"name": [{}], "maxAttempts": )",
                      attempts, "}]}");
}

int AttemptsOf(const Policy& policy) {
  return policy.client.methods.For("/a.S/M").max_attempts;
}

// What followers and errors have told, to be waited for.
class Told {
 public:
  void Add(const std::string& what) {
    std::lock_guard<std::mutex> lock(mutex_);
    all_.push_back(what);
    changed_.notify_all();
  }
  void Await(const std::string& what) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return !all_.empty() && all_.back() == what; });
  }
  std::vector<std::string> all() {
    std::lock_guard<std::mutex> lock(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> all_;
};

class PolicyFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(
        std::getenv("TEST_TMPDIR"), "/",
        ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directory(folder_);
    path_ = folder_ + "/shop.json";
    Write(path_, Allowing(2));
  }

  static void Write(const std::string& path, const std::string& content) {
    std::ofstream(path) << content;
  }
  // As editors and deployments do it.
  void Replace(const std::string& content) {
    Write(folder_ + "/new", content);
    ASSERT_EQ(std::rename((folder_ + "/new").c_str(), path_.c_str()), 0);
  }

  // `period`: an hour, where only the system's word shall count.
  std::shared_ptr<PolicyFile> Opened(absl::Duration period = absl::Hours(1)) {
    PolicyFileOptions options;
    options.period = period;
    options.on_error = [this](const absl::Status& error) {
      told_.Add(std::string(error.message()));
    };
    auto file = PolicyFile::Open(path_, options);
    EXPECT_EQ(file.status(), absl::OkStatus());
    (*file)->Follow([this](const Policy& policy) {
      told_.Add(absl::StrCat(AttemptsOf(policy)));
      return true;
    });
    return *file;
  }

  std::string folder_;
  std::string path_;
  Told told_;
};

TEST_F(PolicyFileTest, OpensOnlyWhatIsSound) {
  Write(path_, "{");
  EXPECT_EQ(PolicyFile::Open(path_).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PolicyFile::Open(folder_ + "/none").status().code(),
            absl::StatusCode::kNotFound);
  PolicyFileOptions options;
  options.period = absl::ZeroDuration();
  EXPECT_EQ(PolicyFile::Open(path_, options).status(),
            absl::InvalidArgumentError(
                "PolicyFileOptions.period: 0 is out of range [10ms, 1h]"));
}

TEST_F(PolicyFileTest, AFileThatIsWrittenAnewTakesEffect) {
  const auto file = Opened();
  told_.Await("2");
  Write(path_, Allowing(3));
  told_.Await("3");
  EXPECT_EQ(AttemptsOf(*file->policy()), 3);
}

TEST_F(PolicyFileTest, AFileThatIsMovedIntoPlaceTakesEffect) {
  const auto file = Opened();
  for (int attempts = 3; attempts < 10; ++attempts) {
    Replace(Allowing(attempts));
    told_.Await(absl::StrCat(attempts));
  }
}

// As Kubernetes does it: shop.json -> data/shop.json, data -> v1, then v2.
TEST_F(PolicyFileTest, ALinkThatIsTurnedAroundTakesEffect) {
  namespace fs = std::filesystem;
  for (int version : {5, 6}) {
    const std::string data = absl::StrCat(folder_, "/v", version);
    fs::create_directory(data);
    Write(data + "/shop.json", Allowing(version));
  }
  fs::remove(path_);
  fs::create_directory_symlink("v5", folder_ + "/data");
  fs::create_symlink("data/shop.json", path_);
  const auto file = Opened();
  told_.Await("5");
  fs::create_directory_symlink("v6", folder_ + "/new");
  fs::rename(folder_ + "/new", folder_ + "/data");
  told_.Await("6");
  Write(folder_ + "/v6/shop.json", Allowing(7));  // In place, behind the link.
  told_.Await("7");
}

TEST_F(PolicyFileTest, ABrokenFileIsReportedOnceAndChangesNothing) {
  const auto file = Opened();
  told_.Await("2");
  Replace(R"({"methods": 1})");
  const std::string error =
      path_ + ": methods: 1 is not a list: put it between [ and ]";
  told_.Await(error);
  EXPECT_EQ(file->Look(), absl::InvalidArgumentError(error));
  EXPECT_EQ(AttemptsOf(*file->policy()), 2);
  Replace(Allowing(4));
  told_.Await("4");
  EXPECT_EQ(file->Look(), absl::OkStatus());
  EXPECT_THAT(told_.all(), ElementsAre("2", error, "4"));
}

TEST_F(PolicyFileTest, AFileThatIsRemovedIsReportedAndMayComeBack) {
  const auto file = Opened();
  std::filesystem::remove(path_);
  told_.Await(path_ + ": cannot be read: No such file or directory");
  EXPECT_EQ(AttemptsOf(*file->policy()), 2);
  Write(path_, Allowing(3));
  told_.Await("3");
}

// Its folder is gone, and with it whoever would say that it comes back.
TEST_F(PolicyFileTest, WhatNobodyReportsIsSeenWithTime) {
  const auto file = Opened(absl::Milliseconds(10));
  std::filesystem::remove_all(folder_);
  told_.Await(path_ + ": cannot be read: No such file or directory");
  std::filesystem::create_directory(folder_);
  Write(path_, Allowing(3));
  told_.Await("3");
}

TEST_F(PolicyFileTest, AFollowerThatSaysNoIsNotToldAgain) {
  const auto file = Opened();
  int times = 0;
  file->Follow([&times](const Policy&) { return ++times < 2; });
  for (int attempts : {3, 4, 5}) {
    Replace(Allowing(attempts));
    told_.Await(absl::StrCat(attempts));
  }
  EXPECT_EQ(times, 2);
}

TEST_F(PolicyFileTest, ItsLastOwnerMayLetGoWhileItTells) {
  auto* const owned = new std::shared_ptr<PolicyFile>(Opened());
  told_.Await("2");
  (*owned)->Follow([this, owned](const Policy& policy) {
    if (AttemptsOf(policy) == 2) return true;
    delete owned;
    told_.Add("gone");
    return false;
  });
  Replace(Allowing(3));
  told_.Await("gone");
}

}  // namespace
}  // namespace forbear
