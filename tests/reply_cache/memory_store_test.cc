#include "interceptors/reply_cache/memory_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "interceptors/reply_cache/reply_store.h"

namespace forbear {
namespace {

using State = ReplyStore::State;

StoredReply Answer(const std::string& payload) {
  StoredReply reply;
  reply.payload = payload;
  return reply;
}

class MemoryStoreTest : public ::testing::Test {
 protected:
  ReplyStore::Claimed Claim(const std::string& key,
                            const std::string& request = "r",
                            const std::string& token = "t") {
    return store().Claim(key, request, token, now_);
  }
  void Keep(const std::string& key, const std::string& payload,
            const std::string& token = "t") {
    EXPECT_TRUE(store().Keep(key, "r", token, Answer(payload), now_).ok());
  }
  // Made with the bounds as they are then.
  MemoryStore& store() {
    if (store_ == nullptr) store_ = std::make_unique<MemoryStore>(bounds_);
    return *store_;
  }

  absl::Time now_ = absl::UnixEpoch();
  MemoryStore::Bounds bounds_;
  std::unique_ptr<MemoryStore> store_;
};

TEST_F(MemoryStoreTest, GivesTheFirstTheCallAndTheOthersItsReply) {
  EXPECT_EQ(Claim("k").state, State::kMine);
  EXPECT_EQ(Claim("k").state, State::kRunning);
  Keep("k", "done");
  const auto claimed = Claim("k");
  EXPECT_EQ(claimed.state, State::kDone);
  EXPECT_EQ(claimed.reply.payload, "done");
}

TEST_F(MemoryStoreTest, TellsAnotherRequestUnderTheSameKey) {
  EXPECT_EQ(Claim("k", "one").state, State::kMine);
  EXPECT_EQ(Claim("k", "other").state, State::kOther);
  Keep("k", "done");
  EXPECT_EQ(Claim("k", "other").state, State::kOther);
}

TEST_F(MemoryStoreTest, ForgetsWhatWasNotApplied) {
  EXPECT_EQ(Claim("k").state, State::kMine);
  EXPECT_TRUE(store().Drop("k", "t", now_).ok());
  EXPECT_EQ(Claim("k", "another request").state, State::kMine);
}

TEST_F(MemoryStoreTest, LeavesClaimsOfOthersAlone) {
  EXPECT_EQ(Claim("k", "r", "mine").state, State::kMine);
  EXPECT_TRUE(store().Drop("k", "yours", now_).ok());
  Keep("k", "yours", "yours");
  EXPECT_EQ(Claim("k").state, State::kRunning);
  // What is kept stays, whoever asks to drop it.
  Keep("k", "mine", "mine");
  EXPECT_TRUE(store().Drop("k", "mine", now_).ok());
  EXPECT_EQ(Claim("k").reply.payload, "mine");
}

TEST_F(MemoryStoreTest, ForgetsTheOldestWhenThereAreTooMany) {
  bounds_.max_replies = 2;
  for (const char* key : {"a", "b", "c"}) {
    EXPECT_EQ(Claim(key).state, State::kMine);
    Keep(key, key);
  }
  EXPECT_EQ(store().replies(), 2);
  EXPECT_EQ(Claim("b").state, State::kDone);
  EXPECT_EQ(Claim("a").state, State::kMine);
}

TEST_F(MemoryStoreTest, ForgetsTheOldestWhenTheyAreTooLarge) {
  bounds_.max_bytes = 250;
  for (const char* key : {"a", "b", "c"}) {
    EXPECT_EQ(Claim(key).state, State::kMine);
    Keep(key, std::string(100, 'x'));
  }
  EXPECT_EQ(store().replies(), 2);
  EXPECT_EQ(store().bytes(), 2 * 102);
  EXPECT_EQ(Claim("a").state, State::kMine);
}

TEST_F(MemoryStoreTest, ForgetsWhatIsTooOld) {
  EXPECT_EQ(Claim("k").state, State::kMine);
  Keep("k", "done");
  now_ += bounds_.max_age - absl::Nanoseconds(1);
  EXPECT_EQ(Claim("k").state, State::kDone);
  now_ += absl::Nanoseconds(1);
  EXPECT_EQ(Claim("k").state, State::kMine);
  EXPECT_EQ(store().bytes(), 0);
}

TEST_F(MemoryStoreTest, NeverForgetsACallThatRuns) {
  bounds_.max_replies = 1;
  bounds_.max_bytes = 1;
  EXPECT_EQ(Claim("runs").state, State::kMine);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(Claim(absl::StrCat(i)).state, State::kMine);
    Keep(absl::StrCat(i), "done");
  }
  now_ += absl::Hours(24);
  EXPECT_EQ(Claim("runs").state, State::kRunning);
}

TEST(MemoryStoreBoundsTest, NamesTheFieldTheValueAndTheRange) {
  MemoryStore::Bounds bounds;
  EXPECT_EQ(bounds.Validate(), absl::OkStatus());
  bounds.max_replies = 0;
  EXPECT_EQ(bounds.Validate().message(),
            "MemoryStore::Bounds.max_replies: 0 is out of range [1, 1e9]");
  bounds = {};
  bounds.max_bytes = -1;
  EXPECT_EQ(bounds.Validate().message(),
            "MemoryStore::Bounds.max_bytes: -1 is out of range [1, 1e12]");
  bounds = {};
  bounds.max_age = absl::ZeroDuration();
  EXPECT_EQ(bounds.Validate().message(),
            "MemoryStore::Bounds.max_age: 0 is out of range [1s, 720h]");
}

}  // namespace
}  // namespace forbear
