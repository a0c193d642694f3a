#include "interceptors/reply_cache/reply_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "interceptors/context/clock.h"
#include "interceptors/reply_cache/memory_store.h"
#include "interceptors/reply_cache/reply_store.h"

namespace forbear {
namespace {

using Outcome = ReplyCache::Outcome;

StoredReply Answer(const std::string& payload) {
  StoredReply reply;
  reply.payload = payload;
  return reply;
}

std::future<Outcome> Begin(ReplyCache& cache, const std::string& key,
                           const std::string& request = "r",
                           absl::Time give_up = absl::InfiniteFuture()) {
  auto outcome = std::make_shared<std::promise<Outcome>>();
  auto future = outcome->get_future();
  cache.Begin(key, request, give_up,
              [outcome](Outcome o) { outcome->set_value(std::move(o)); });
  return future;
}

// Cannot be asked.
class BrokenStore final : public ReplyStore {
 public:
  Claimed Claim(const std::string&, const std::string&, const std::string&,
                absl::Time) override {
    return {State::kDown, {}, absl::UnavailableError("broken")};
  }
  absl::Status Keep(const std::string&, const std::string&, const std::string&,
                    const StoredReply&, absl::Time) override {
    return absl::UnavailableError("broken");
  }
  absl::Status Drop(const std::string&, const std::string&,
                    absl::Time) override {
    return absl::UnavailableError("broken");
  }
  bool Blocks() const override { return true; }
};

TEST(ReplyCacheTest, RunsTheFirstAndReplaysItsAnswer) {
  ReplyCache cache;
  Outcome first = Begin(cache, "k").get();
  ASSERT_EQ(first.kind, Outcome::kRun);
  first.ticket->Keep(Answer("done"));
  const Outcome again = Begin(cache, "k").get();
  EXPECT_EQ(again.kind, Outcome::kReplay);
  EXPECT_EQ(again.reply.payload, "done");
  EXPECT_EQ(cache.replays(), 1);
}

TEST(ReplyCacheTest, WhoComesWhileTheFirstRunsWaitsForItsAnswer) {
  ReplyCache cache;
  Outcome first = Begin(cache, "k").get();
  auto second = Begin(cache, "k");
  auto third = Begin(cache, "k");
  EXPECT_EQ(cache.waiting(), 2);
  first.ticket->Keep(Answer("done"));
  EXPECT_EQ(second.get().reply.payload, "done");
  EXPECT_EQ(third.get().reply.payload, "done");
  EXPECT_EQ(cache.waiting(), 0);
  EXPECT_EQ(cache.replays(), 2);
}

TEST(ReplyCacheTest, OneOfThoseWhoWaitRunsWhenTheFirstWasNotApplied) {
  ReplyCache cache;
  Outcome first = Begin(cache, "k").get();
  auto second = Begin(cache, "k");
  auto third = Begin(cache, "k");
  first.ticket = nullptr;  // Dropped.
  std::future<Outcome>* waits = &third;
  std::future<Outcome>* runs = &second;
  while (second.wait_for(std::chrono::seconds(0)) !=
             std::future_status::ready &&
         third.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    std::this_thread::yield();
  }
  if (third.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    std::swap(waits, runs);
  }
  Outcome now = runs->get();
  ASSERT_EQ(now.kind, Outcome::kRun);
  now.ticket->Keep(Answer("done"));
  EXPECT_EQ(waits->get().reply.payload, "done");
}

TEST(ReplyCacheTest, WhoCannotWaitAnyLongerIsToldSo) {
  ReplyCache cache;
  Outcome first = Begin(cache, "k").get();
  const Outcome late =
      Begin(cache, "k", "r", SteadyNow() + absl::Milliseconds(5)).get();
  EXPECT_EQ(late.kind, Outcome::kLate);
  first.ticket->Keep(Answer("done"));
}

TEST(ReplyCacheTest, AnotherRequestUnderTheSameKeyIsNotAnswered) {
  ReplyCache cache;
  Outcome first = Begin(cache, "k", "one").get();
  EXPECT_EQ(Begin(cache, "k", "other").get().kind, Outcome::kOther);
  first.ticket->Keep(Answer("done"));
  EXPECT_EQ(Begin(cache, "k", "other").get().kind, Outcome::kOther);
  EXPECT_EQ(cache.replays(), 0);
}

TEST(ReplyCacheTest, TwoServersWithOneStoreAreOne) {
  const auto store = std::make_shared<MemoryStore>(MemoryStore::Bounds());
  ReplyCache here(store);
  ReplyCache there(store);
  Outcome first = Begin(here, "k").get();
  auto waits = Begin(there, "k");
  auto waits_too = Begin(there, "k");
  EXPECT_EQ(there.waiting(), 2);
  EXPECT_EQ(Begin(there, "late", "r", SteadyNow()).get().kind, Outcome::kRun);
  first.ticket->Keep(Answer("done"));
  EXPECT_EQ(waits.get().reply.payload, "done");
  EXPECT_EQ(waits_too.get().reply.payload, "done");
}

TEST(ReplyCacheTest, WhoCannotWaitForAnotherServerIsToldSo) {
  const auto store = std::make_shared<MemoryStore>(MemoryStore::Bounds());
  ReplyCache here(store);
  ReplyCache there(store);
  Outcome first = Begin(here, "k").get();
  const Outcome late =
      Begin(there, "k", "r", SteadyNow() + absl::Milliseconds(30)).get();
  EXPECT_EQ(late.kind, Outcome::kLate);
  first.ticket->Keep(Answer("done"));
  EXPECT_EQ(Begin(there, "k").get().kind, Outcome::kReplay);
}

TEST(ReplyCacheTest, SaysThatItsStoreCannotBeAsked) {
  ReplyCache cache(std::make_shared<BrokenStore>());
  const Outcome outcome = Begin(cache, "k").get();
  EXPECT_EQ(outcome.kind, Outcome::kDown);
  EXPECT_EQ(outcome.error.message(), "broken");
}

// Each key is run once, whoever comes when.
TEST(ReplyCacheTest, RunsEachKeyOnceForManyThreads) {
  constexpr int kKeys = 50;
  constexpr int kThreads = 8;
  ReplyCache cache;
  std::atomic<int> runs{0};
  std::atomic<int> replays{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < kKeys; ++k) {
        Outcome outcome = Begin(cache, std::to_string(k)).get();
        if (outcome.kind == Outcome::kRun) {
          ++runs;
          outcome.ticket->Keep(Answer(std::to_string(k)));
        } else {
          EXPECT_EQ(outcome.reply.payload, std::to_string(k));
          ++replays;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(runs, kKeys);
  EXPECT_EQ(replays, kKeys * (kThreads - 1));
  EXPECT_EQ(cache.replays(), kKeys * (kThreads - 1));
}

}  // namespace
}  // namespace forbear
